"""Vacuity: proofs that are right and say nothing.

From a contradiction everything follows.  Suppositions that exclude each other, an invariant that
no initial state meets, a step that can never be taken: each makes obligations true without anything
being shown.  So the hypotheses are looked at by themselves, and what has no model at all is
reported by name.

A step that no state allows does nothing, and what is proved of the others stands; still it is
reported, for a guard that is never true is hardly what somebody meant.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import z3
from ackproof.proofs.discharge import undisturbed
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.smt.domain import Untranslatable
from ackproof.proofs.smt.logic import Term

__all__ = ["Vacuity", "vacuities"]


@dataclass(frozen=True)
class Vacuity:
    """A reason why something that was shown says nothing.

    Attributes:
        kind: "suppositions", "initial", "guard" or "excluded".
        name: the claim or the action that it is about, if it is about one.
        text: what is wrong, in a sentence.
    """

    kind: str
    name: str
    text: str

    def concerns(self, names: Iterable[str]) -> bool:
        """Tell whether it empties a proof that stands on these claims."""
        return self.kind == "suppositions" or (self.kind == "initial" and self.name in names)


def vacuities(
    obligations: Obligations,
    names: Sequence[str],
    limit: float,
    workers: int = 1,
    told: Callable[[str], None] = lambda _: None,
) -> Iterator[Vacuity]:
    """Yield why what is shown of some claims says nothing.

    Args:
        obligations: translates them.
        names: the claims that are proved together.
        limit: seconds for each question; what is not answered in that time is not reported.
        workers: how many processes look at them.
        told: is called with what was looked at.
    """
    look = _Look(obligations, tuple(names), limit)
    void = look.suppositions()
    if void is not None:
        yield void
        return
    questions: list[Question] = [(look.beginning, name) for name in look.invariants]
    questions += [(look.step, name) for name in obligations.actions]
    for (_, name), found in zip(questions, _answers(questions, workers), strict=True):
        told(name)
        if found is not None:
            yield found


Question = tuple[Callable[[str], Vacuity | None], str]
_QUESTIONS: list[Question] = []


def _answers(questions: list[Question], workers: int) -> Iterator[Vacuity | None]:
    """Yield the answers to questions, in order."""
    if workers < 2:
        yield from (ask(name) for ask, name in questions)
        return
    global _QUESTIONS
    _QUESTIONS = questions
    context = multiprocessing.get_context("fork")
    with context.Pool(workers, initializer=undisturbed) as pool:
        yield from pool.imap(_answer, range(len(questions)))


def _answer(number: int) -> Vacuity | None:
    ask, name = _QUESTIONS[number]
    return ask(name)


class _Look:
    """Asks whether something is possible at all."""

    def __init__(self, obligations: Obligations, names: tuple[str, ...], limit: float) -> None:
        self.obligations = obligations
        self.limit = limit
        supposed = obligations.library.assumptions
        self.supposed = [name for name in names if name in supposed]
        self.invariants = [
            name
            for name in names
            if name not in supposed and not obligations.properties[name].of_steps
        ]
        self.assumed = [obligations.known(name) for name in self.supposed]
        restrictions = obligations.library.restrictions
        self.usual = [obligations.known(n) for n in self.supposed if n not in restrictions]

    def impossible(self, formulas: Sequence[Term]) -> bool:
        """Tell whether it is known that formulas have no model."""
        if not formulas:
            return False
        solver = z3.SimpleSolver()
        solver.set("timeout", max(1, int(1000 * self.limit)))
        # By matching only: where there is a model, that comes to its end soon, without having one.
        solver.set("auto_config", False)
        solver.set("smt.mbqi", False)
        solver.add(*self.obligations.with_background(formulas))
        return bool(solver.check() == z3.unsat)

    def suppositions(self) -> Vacuity | None:
        """Return why what is supposed is void."""
        if not self.impossible(self.assumed):
            return None
        listed = ", ".join(self.supposed)
        said = f"no constants meet what is supposed of them together: {listed}"
        return Vacuity("suppositions", "", said)

    def beginning(self, name: str) -> Vacuity | None:
        """Return why a claim is void at the beginning."""
        theory = self.obligations.theory
        try:
            claim = theory.claim(self.obligations.properties[name], theory.initial())
        except Untranslatable:
            return None
        if not self.impossible([*self.assumed, theory.beginning(), claim]):
            return None
        said = f"{name} excludes every initial state: it is false of each, whatever the sizes"
        return Vacuity("initial", name, said)

    def step(self, name: str) -> Vacuity | None:
        """Return why a step can never be taken."""
        try:
            guard = self.obligations.step(name).enabled
            enabled = [*self.assumed, guard]
            known = [self.obligations.known(n) for n in self.invariants]
        except Untranslatable:
            return None
        if self.impossible([*self.usual, guard]):
            return Vacuity("guard", name, f"the guard of {name} can never hold, in any state")
        # What a restriction excludes is no surprise: that is what it says.
        if self.impossible([*known, *enabled]) and not self.impossible(enabled):
            said = (
                f"the guard of {name} can never hold where the invariant does: the lemmas say too "
                "much, or the step is never taken"
            )
            return Vacuity("excluded", name, said)
        return None
