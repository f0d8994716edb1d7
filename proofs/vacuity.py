"""Vacuity: proofs whose hypotheses are inconsistent, so that they show nothing.

From a contradiction everything follows.  Assumptions that exclude each other, an invariant that
no initial state meets, a step that can never be taken: each makes obligations true without anything
being shown.  So the hypotheses are checked by themselves, and those that have no model at all are
reported by name.

A step that no state allows does nothing, and what is proved of the others stands; still it is
reported, for a guard that is never true is hardly what somebody meant.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import z3
from ackproof.proofs.discharge import start_worker
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.smt.logic import Term
from ackproof.proofs.smt.making import tell
from ackproof.proofs.smt.unbounded import Untranslatable
from ackproof.proofs.solving import limited

__all__ = ["Vacuity", "vacuities"]


@dataclass(frozen=True)
class Vacuity:
    """A reason why something that was shown says nothing.

    Attributes:
        kind: "assumptions", "initial", "guard" or "excluded".
        name: the goal or the action that it is about, if it is about one.
        text: what is wrong, in a sentence.
    """

    kind: str
    name: str
    text: str

    def concerns(self, names: Iterable[str]) -> bool:
        """Tell whether it empties a proof that stands on these goals."""
        return self.kind == "assumptions" or (self.kind == "initial" and self.name in names)


def vacuities(
    obligations: Obligations,
    names: Sequence[str],
    limit: float,
    workers: int = 1,
    report: Callable[[str], None] = lambda _: None,
) -> Iterator[Vacuity]:
    """Yield the inconsistencies for which what is shown of some goals says nothing.

    Args:
        obligations: translates them.
        names: the goals that are proved together.
        limit: seconds for each check, as they are where nothing else runs; what is not decided in
            that is not reported.
        workers: how many processes check.
        report: is called with the name of what was checked.
    """
    checks = _Checks(obligations, tuple(names), limit)
    inconsistent = checks.assumptions()
    if inconsistent is not None:
        yield inconsistent
        return
    pending: list[Check] = [(checks.beginning, name) for name in checks.invariants]
    pending += [(checks.step, name) for name in obligations.actions]
    for (_, name), found in zip(pending, _results(pending, workers), strict=True):
        report(name)
        if found is not None:
            yield found


Check = tuple[Callable[[str], Vacuity | None], str]
_CHECKS: list[Check] = []


def _results(pending: list[Check], workers: int) -> Iterator[Vacuity | None]:
    """Yield the results of checks, in order."""
    if workers < 2:
        yield from (check(name) for check, name in pending)
        return
    global _CHECKS
    _CHECKS = pending
    context = multiprocessing.get_context("fork")
    with context.Pool(workers, initializer=start_worker) as pool:
        yield from pool.imap(_result, range(len(pending)))


def _result(number: int) -> Vacuity | None:
    check, name = _CHECKS[number]
    return check(name)


class _Checks:
    """Checks whether hypotheses are satisfiable."""

    def __init__(self, obligations: Obligations, names: tuple[str, ...], limit: float) -> None:
        self.obligations = obligations
        self.limit = limit
        assumptions = obligations.library.assumptions
        self.names = [name for name in names if name in assumptions]
        self.invariants = [
            name
            for name in names
            if name not in assumptions and obligations.properties[name].kind == "invariant"
        ]
        self.assumed = [obligations.known(name) for name in self.names]
        restrictions = obligations.library.restrictions
        self.usual = [obligations.known(n) for n in self.names if n not in restrictions]

    def impossible(self, formulas: Sequence[Term]) -> bool:
        """Tell whether it is known that formulas have no model."""
        if not formulas:
            return False
        query = self.obligations.about(formulas)
        solver = limited(self.limit, z3.Context())
        # By matching only: where there is a model, that comes to its end soon, without having one.
        solver.set("auto_config", False)
        solver.set("smt.mbqi", False)
        tell(solver, query.all)
        return bool(solver.check() == z3.unsat)

    def assumptions(self) -> Vacuity | None:
        """Return why the assumptions are inconsistent."""
        if not self.impossible(self.assumed):
            return None
        listed = ", ".join(self.names)
        said = f"the assumptions are inconsistent, no constants meet them together: {listed}"
        return Vacuity("assumptions", "", said)

    def beginning(self, name: str) -> Vacuity | None:
        """Return why no initial state meets an invariant."""
        theory = self.obligations.theory
        try:
            goal = theory.formula(self.obligations.properties[name], theory.initial())
            beginning = theory.beginning()
        except Untranslatable:
            return None
        if not self.impossible([*self.assumed, beginning, goal]):
            return None
        said = f"{name} excludes every initial state: it is false of each, whatever the sizes"
        return Vacuity("initial", name, said)

    def step(self, name: str) -> Vacuity | None:
        """Return why a step can never be taken."""
        library = self.obligations.library
        everywhere = [name for name in self.invariants if not library.restricted(name)]
        try:
            guard = self.obligations.step(name).enabled
            known = [self.obligations.known(n) for n in everywhere]
        except Untranslatable:
            return None
        if self.impossible([*self.usual, guard]):
            return Vacuity("guard", name, f"the guard of {name} can never hold, in any state")
        # What a restriction excludes is no surprise, nor what an invariant does that takes one.
        if self.impossible([*known, *self.usual, guard]):
            said = (
                f"the guard of {name} can never hold where the invariant does: the lemmas say too "
                "much, or the step is never taken"
            )
            return Vacuity("excluded", name, said)
        return None
