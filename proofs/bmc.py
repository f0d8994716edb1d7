"""Bounded model checking and k-induction, for instances too wide to enumerate.

Bounded model checking has the solver look for a run of at most so many steps at whose end a
property is false, one step more at a time, so that a run that is found is as short as any.  What it
does not find is not there up to that depth, and nothing is known of what lies deeper: the verdict
is `bounded`.

k-induction asks besides: can a property fail that held in the k states before, whatever these are?
If it cannot, and does not within k steps from an initial state, it holds at these sizes for ever:
the verdict is `verified`.  States on the way are all different, for the shortest run to a failure
has no detours.  Lemmas may be assumed of them, which are proved together with it: a lemma must hold
on the way, and hold after k states in which all of them and the property held.

A run is replayed in plain Python before it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import z3
from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.lang.program import PropertyDecl
from ackproof.lang.properties import BUILT_IN, DEADLOCK, OF_RUNS
from ackproof.model.beginnings import begins
from ackproof.model.museum import steps
from ackproof.model.trace import ReplayError, Trace, replay
from ackproof.model.verdict import Verdict
from ackproof.proofs.smt.logic import Term, negation
from ackproof.proofs.transition import Transition

__all__ = ["SearchResult", "bounded", "k_induction"]


@dataclass(frozen=True)
class SearchResult:
    """What a search with the solver has established of one property.

    Attributes:
        bound: the instance.
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


def bounded(bound: Bound, property: str, depth: int, limit: float = 600.0) -> SearchResult:
    """Look for a run of at most so many steps that breaks a property.

    Args:
        bound: the program at the sizes of an instance.
        property: the name of a property of states or steps, or of a built-in one but `NoDeadlock`.
        depth: the most steps.
        limit: seconds.

    Raises:
        BindError: there is no such property, or it is not of a kind that a run can break.
    """
    return _BoundedSearch(bound, property, limit).deeper(depth)


def k_induction(
    bound: Bound, property: str, k: int, lemmas: Iterable[str] = (), limit: float = 600.0
) -> SearchResult:
    """Prove a property at the sizes of an instance, from k states in which it held.

    Args:
        bound: the program at the sizes of an instance.
        property: the name of a property of states or steps.
        k: how many steps are looked at; 1 is plain induction.
        lemmas: names of properties of states to assume; where one of them is not proved with the
            others and the property, nothing is, and the reason says which.
        limit: seconds.

    Raises:
        BindError: there is no such property or lemma, or it is not of a kind that can be proved so.
    """
    if k < 1:
        raise BindError(f"induction looks at {k} steps; give a whole number, 1 or more")
    search = _BoundedSearch(bound, property, limit)
    known = [search.declared(name) for name in dict.fromkeys(lemmas)]
    for lemma in known:
        if lemma.of_steps or lemma.kind != "invariant":
            raise BindError(f"{lemma.name} is no property of states; give invariants as lemmas")
    base = search.deeper(k)
    if base.verdict is not Verdict.BOUNDED:
        return base
    found = search.induction(k, known)
    return found if found.verdict is not Verdict.VERIFIED else search.together(k, known) or found


class _BoundedSearch:
    """One property, looked at in runs of growing length."""

    def __init__(
        self, bound: Bound, name: str, limit: float, transition: Transition | None = None
    ) -> None:
        self.started = time.perf_counter()
        self.limit = limit
        self.bound = bound
        self.name = name
        self.property: PropertyDecl | str = name if name in BUILT_IN else self.declared(name)
        kind = "invariant" if isinstance(self.property, str) else self.property.kind
        if name == DEADLOCK or kind in {"reachable", *OF_RUNS}:
            raise BindError(
                f"{name} is not false at the end of a run of some length; `ackproof check` asks "
                "about deadlocks, cover properties and liveness properties"
            )
        if bound.constraints:
            names = ", ".join(p.name for p in bound.constraints)
            raise BindError(
                f"{bound.program.name} has constraints ({names}), and the prover looks for runs "
                "beyond them, too; `ackproof check` keeps within them"
            )
        self.transition = transition or Transition(bound)

    def declared(self, name: str) -> PropertyDecl:
        """Return a property of the program."""
        for prop in self.bound.program.properties:
            if prop.name == name:
                return prop
        known = ", ".join(p.name for p in self.bound.program.properties)
        raise BindError(f"{self.bound.program.name} has no property {name!r}; it has: {known}")

    @property
    def of_steps(self) -> bool:
        """Whether the property is about steps."""
        return isinstance(self.property, str) or self.property.of_steps

    def false(self, number: int) -> Term:
        """Return the formula that says that the property fails at the end of so many steps."""
        if self.of_steps:
            return self.transition.breaks(self.property, number - 1)
        assert not isinstance(self.property, str)
        return negation(self.transition.holds(self.property, number))

    def _solver(self) -> z3.Solver:
        return z3.SolverFor("QF_FD")

    def _check(self, solver: z3.Solver, *formulas: Term) -> z3.CheckSatResult:
        solver.push()
        if self._left <= 0:
            return z3.unknown
        solver.set("timeout", max(1, int(1000 * self._left)))
        solver.add(*formulas)
        return solver.check()

    def deeper(self, depth: int) -> SearchResult:
        """Look for a run of no step, of one, and so on."""
        solver = self._solver()
        solver.add(self.transition.typed(0), self.transition.initially())
        for length in range(depth + 1):
            if length > (1 if self.of_steps else 0):
                solver.add(self.transition.related(length - 1 - self.of_steps))
            if self.of_steps and length == 0:
                continue
            answer = self._check(solver, self.false(length))
            if answer == z3.sat:
                return self._found(Verdict.VIOLATED, length, self._trace(solver.model(), length))
            if answer == z3.unknown:
                return self._found(Verdict.TRUNCATED, length - 1, None, self._why(solver))
            solver.pop()
        return self._found(Verdict.BOUNDED, depth, None, "what lies deeper was not looked at")

    def _trace(self, model: z3.ModelRef, length: int) -> Trace:
        """Return the run that a model is, replayed."""
        start, path = self.transition.state(model, 0), self.transition.path(model, length)
        if not begins(self.bound, start):
            raise ReplayError(f"the counterexample to {self.name} begins in no initial state")
        return replay(self.bound, self.name, path, start=start)

    def induction(self, k: int, lemmas: list[PropertyDecl]) -> SearchResult:
        """Ask whether the property can fail after k steps, or states, in which it held."""
        last = k - 1 if self.of_steps else k
        solver = self._path(last)
        for number in range(last + 1):
            solver.add(*(self.transition.holds(lemma, number) for lemma in lemmas))
        first = 1 if self.of_steps else 0
        solver.add(*(negation(self.false(number)) for number in range(first, k)))
        answer = self._check(solver, self.false(k))
        if answer == z3.unsat:
            return self._found(Verdict.VERIFIED, k, None)
        if answer == z3.unknown:
            return self._found(Verdict.TRUNCATED, k, None, self._why(solver))
        reason = f"{_steps_do(k)} not imply it; give lemmas, or look at more steps"
        return self._found(Verdict.BOUNDED, k, None, reason)

    def _path(self, last: int) -> z3.Solver:
        """Return a solver that knows of states from 0 on, all different, each a step further."""
        solver, transition = self._solver(), self.transition
        for number in range(last + 1):
            solver.add(transition.typed(number))
            if number < last:
                solver.add(transition.related(number))
            solver.add(*(transition.differ(number, other) for other in range(number)))
        return solver

    def together(self, k: int, lemmas: list[PropertyDecl]) -> SearchResult | None:
        """Return why lemmas that the property was proved with are not proved with it, if so."""
        if not lemmas:
            return None
        for lemma in lemmas:
            base = _BoundedSearch(self.bound, lemma.name, self._left, self.transition).deeper(k)
            if base.verdict is Verdict.VIOLATED:
                said = f"{lemma.name} is assumed, and is false after {steps(base.depth)}"
                return self._found(Verdict.BOUNDED, k, None, f"{said}: leave it out")
            if base.verdict is not Verdict.BOUNDED:
                return self._found(Verdict.TRUNCATED, k, None, base.reason)
        solver = self._path(k)
        own = [] if self.of_steps or isinstance(self.property, str) else [self.property]
        for number in range(k):
            solver.add(*(self.transition.holds(one, number) for one in (*lemmas, *own)))
        for lemma in lemmas:
            answer = self._check(solver, negation(self.transition.holds(lemma, k)))
            if answer == z3.unknown:
                return self._found(Verdict.TRUNCATED, k, None, self._why(solver))
            if answer == z3.sat:
                reason = f"{lemma.name} is assumed, and {_steps_do(k)} not imply it; give lemmas"
                return self._found(Verdict.BOUNDED, k, None, f"{reason} for it, too")
            solver.pop()
        return None

    @property
    def _left(self) -> float:
        return self.limit - (time.perf_counter() - self.started)

    def _why(self, solver: z3.Solver) -> str:
        reason = solver.reason_unknown()
        seconds = f"{self.limit:g} seconds"
        return f"it was not decided within {seconds}" if "time" in reason or not reason else reason

    def _found(
        self, verdict: Verdict, depth: int, trace: Trace | None, reason: str = ""
    ) -> SearchResult:
        seconds = time.perf_counter() - self.started
        return SearchResult(self.bound, self.name, verdict, depth, trace, seconds, reason)


def _steps_do(k: int) -> str:
    return "1 step does" if k == 1 else f"{k} steps in a row do"
