"""Bounded model checking and k-induction, for instances too wide to enumerate.

Bounded model checking asks the solver for a run of at most so many steps at whose end a property is
false, one step more at a time, so that a run that is found is as short as any.  What it does not
find is not there up to that depth, and nothing is said of what lies deeper: the verdict is
`bounded`.

k-induction asks besides: can a property fail that held in the k states before, whatever these are?
If it cannot, and does not within k steps from the initial state, it holds at these sizes for ever:
the verdict is `verified`.  States on the way are all different, for the shortest run to a failure
has no detours.  Lemmas may be assumed of them, which have to be proved by themselves.

A run is replayed in plain Python before it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import z3
from ackproof.model.trace import Trace, replay
from ackproof.model.verdict import Verdict
from ackproof.proofs.smt.logic import Term, negation
from ackproof.proofs.transition import Transition
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.program import PropertyDecl
from ackproof.spec.lang.properties import BUILT_IN, DEADLOCK

__all__ = ["Searched", "bounded", "k_induction"]


@dataclass(frozen=True)
class Searched:
    """What a search with the solver has established of one property.

    Attributes:
        bound: where it was asked.
        property: its name.
        verdict: `VIOLATED` with a trace, `VERIFIED` by induction, `BOUNDED` up to the depth, or
            `TRUNCATED` if the time was up.
        depth: steps; no run of at most so many breaks the property, its last step aside if it is
            violated.
        trace: the run that breaks it.
        seconds: how long it took.
        reason: why nothing more is known.
    """

    bound: Bound
    property: str
    verdict: Verdict
    depth: int
    trace: Trace | None
    seconds: float
    reason: str = ""


def bounded(bound: Bound, property: str, depth: int, limit: float = 600.0) -> Searched:
    """Look for a run of at most so many steps that breaks a property.

    Args:
        bound: the program at the sizes of an instance.
        property: the name of a property of states or steps, or of a built-in one but `NoDeadlock`.
        depth: the most steps.
        limit: seconds.

    Raises:
        BindError: there is no such property, or it is not of a kind that a run can break.
    """
    return _Search(bound, property, limit).deeper(depth)


def k_induction(
    bound: Bound, property: str, k: int, lemmas: Iterable[str] = (), limit: float = 600.0
) -> Searched:
    """Prove a property at the sizes of an instance, from k states in which it held.

    Args:
        bound: the program at the sizes of an instance.
        property: the name of a property of states or steps.
        k: how many steps are looked at; 1 is plain induction.
        lemmas: names of properties of states that hold, which is for the caller to know.
        limit: seconds.

    Raises:
        BindError: there is no such property or lemma, or it is not of a kind that can be proved so.
    """
    if k < 1:
        raise BindError(f"induction looks at {k} steps; give a whole number, 1 or more")
    search = _Search(bound, property, limit)
    known = [search.declared(name) for name in lemmas]
    for claim in known:
        if claim.of_steps or claim.kind != "invariant":
            raise BindError(f"{claim.name} is no property of states; give invariants as lemmas")
    base = search.deeper(k)
    return base if base.verdict is not Verdict.BOUNDED else search.induction(k, known)


class _Search:
    """One property, asked of runs of growing length."""

    def __init__(self, bound: Bound, name: str, limit: float) -> None:
        self.started = time.perf_counter()
        self.limit = limit
        self.bound = bound
        self.name = name
        self.claim: PropertyDecl | str = name if name in BUILT_IN else self.declared(name)
        kind = "invariant" if isinstance(self.claim, str) else self.claim.kind
        if name == DEADLOCK or kind in {"reachable", "eventually"}:
            raise BindError(
                f"{name} is not false at the end of a run of some length; `ackproof check` asks "
                "about deadlocks, situations to be reached, and runs without end"
            )
        self.transition = Transition(bound)

    def declared(self, name: str) -> PropertyDecl:
        """Return a property of the program."""
        for prop in self.bound.program.properties:
            if prop.name == name:
                return prop
        known = ", ".join(p.name for p in self.bound.program.properties)
        raise BindError(f"{self.bound.program.name} has no property {name!r}; it has: {known}")

    @property
    def of_steps(self) -> bool:
        """Whether the claim is about steps."""
        return isinstance(self.claim, str) or self.claim.of_steps

    def false(self, number: int) -> Term:
        """Return the formula that says that the claim fails at the end of so many steps."""
        if self.of_steps:
            return self.transition.breaks(self.claim, number - 1)
        assert not isinstance(self.claim, str)
        return negation(self.transition.holds(self.claim, number))

    def _solver(self) -> z3.Solver:
        return z3.SolverFor("QF_FD")

    def _asked(self, solver: z3.Solver, *formulas: Term) -> z3.CheckSatResult:
        left = self.limit - (time.perf_counter() - self.started)
        if left <= 0:
            return z3.unknown
        solver.set("timeout", max(1, int(1000 * left)))
        solver.push()
        solver.add(*formulas)
        return solver.check()

    def deeper(self, depth: int) -> Searched:
        """Look for a run of no step, of one, and so on."""
        solver = self._solver()
        solver.add(self.transition.typed(0), self.transition.initially())
        for length in range(depth + 1):
            if length > (1 if self.of_steps else 0):
                solver.add(self.transition.related(length - 1 - self.of_steps))
            if self.of_steps and length == 0:
                continue
            answer = self._asked(solver, self.false(length))
            if answer == z3.sat:
                path = self.transition.path(solver.model(), length)
                trace = replay(self.bound, self.name, path)
                return self._found(Verdict.VIOLATED, length, trace)
            if answer == z3.unknown:
                return self._found(Verdict.TRUNCATED, length - 1, None, self._why(solver))
            solver.pop()
        return self._found(Verdict.BOUNDED, depth, None, "what lies deeper was not looked at")

    def induction(self, k: int, lemmas: list[PropertyDecl]) -> Searched:
        """Ask whether the claim can fail after k steps, or states, in which it held."""
        solver = self._solver()
        transition = self.transition
        last = k - 1 if self.of_steps else k
        for number in range(last + 1):
            solver.add(transition.typed(number))
            solver.add(*(transition.holds(claim, number) for claim in lemmas))
            if number < last:
                solver.add(transition.related(number))
        first = 1 if self.of_steps else 0
        solver.add(*(negation(self.false(number)) for number in range(first, k)))
        for one in range(last + 1):
            solver.add(*(transition.differ(one, other) for other in range(one)))
        answer = self._asked(solver, self.false(k))
        if answer == z3.unsat:
            return self._found(Verdict.VERIFIED, k, None)
        if answer == z3.unknown:
            return self._found(Verdict.TRUNCATED, k, None, self._why(solver))
        so_many = "1 step does" if k == 1 else f"{k} steps in a row do"
        reason = f"{so_many} not imply it; give lemmas, or look at more steps"
        return self._found(Verdict.BOUNDED, k, None, reason)

    def _why(self, solver: z3.Solver) -> str:
        reason = solver.reason_unknown()
        seconds = f"{self.limit:g} seconds"
        return f"it was not decided within {seconds}" if "time" in reason or not reason else reason

    def _found(
        self, verdict: Verdict, depth: int, trace: Trace | None, reason: str = ""
    ) -> Searched:
        seconds = time.perf_counter() - self.started
        return Searched(self.bound, self.name, verdict, depth, trace, seconds, reason)
