"""Instance queries: an obligation at the sizes of an instance, as a query to a solver.

At given sizes an obligation is decidable: sorts have so many elements, and nothing is abstracted,
cardinalities and sequences included.  Constants are left open, but for those that a design gives.
Over sorts of any size a solver may only answer `unknown` to the same obligation.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import z3
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Program, PropertyDecl
from ackproof.lang.properties import ASSERTION
from ackproof.lang.sorts import Sort, elements_of
from ackproof.lang.types import SortT
from ackproof.proofs.cases import cases_of
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.smt.finite import Finite, FiniteState, FiniteStep
from ackproof.proofs.smt.logic import Term
from ackproof.proofs.smt.open_constants import constant_name

__all__ = ["InstanceQueries", "InstanceQuery", "Sizes", "described"]

#: How many elements each sort has.
Sizes = Mapping[type[Sort], int]


def described(sizes: Sizes) -> str:
    """Return sizes in words, for example `Client 1, Server 2`."""
    return ", ".join(f"{sort.__name__} {size}" for sort, size in sizes.items())


@dataclass
class InstanceQuery:
    """A query: is there a state, and a step, that the obligation forbids?

    Attributes:
        bound: the instance.
        finite: its states and steps as terms.
        solver: has the formulas of the query.
        before: the state before.
        step: the step, if it is about one.
        until: when to give up, as `time.perf_counter` counts.
    """

    bound: Bound
    finite: Finite
    solver: z3.Solver
    before: FiniteState
    step: FiniteStep | None
    until: float

    def answer(self, *wishes: Term) -> z3.CheckSatResult:
        """Return whether there is one that also meets some wishes."""
        left = self.until - time.perf_counter()
        if left <= 0:
            return z3.unknown
        self.solver.set("timeout", max(1, int(1000 * left)))
        return self.solver.check(*wishes)


class InstanceQueries:
    """One obligation, at any sizes.

    Args:
        model: the model, without its lemmas.
        design: a change to it.
        library: the lemmas and assumptions.
        obligation: what is to be decided.
        program: the model with lemmas and design, compiled.
        limit: seconds for all queries together.
    """

    def __init__(
        self,
        model: Model,
        design: Design | None,
        library: Library,
        obligation: Obligation,
        program: Program,
        limit: float,
    ) -> None:
        self.model = with_lemmas(model, library)
        self.design = design
        self.library = library
        self.obligation = obligation
        self.program = program
        self.until = time.perf_counter() + limit
        self.properties = {p.name: p for p in program.properties}
        self.actions = {a.name: a for a in program.actions}
        self.sorts = _sorts(program, model)

    def at(self, sizes: Sizes) -> InstanceQuery | None:
        """Return the query at some sizes; None where no step is possible.

        Raises:
            BindError: at these sizes a set is too wide to be computed with.
        """
        try:
            bound = self.bound(sizes, {})
        except BindError:  # there is no first element of an empty sort
            return None
        return self._query(bound)

    def bound(self, sizes: Sizes, constants: Mapping[str, Any]) -> Bound:
        """Return the program at some sizes; constants that are not given have any values."""
        given = {**dict(self._any_constants(sizes)), **constants}
        action = self.actions.get(self.obligation.action)
        faults = {action.name: 1} if action is not None and action.kind == "fault" else {}
        instance = Instance(
            name=described(sizes),
            purpose="the sizes at which an obligation is decided",
            sizes=dict(sizes),
            faults=faults,
            constants=dict(given),
        )
        return bind(self.model, instance, self.design, program=self.program)

    def _any_constants(self, sizes: Sizes) -> Iterator[tuple[str, Any]]:
        """Yield values for the constants that have none of their own."""
        named = {sort.__name__: found for sort, found in elements_of(sizes).items()}
        own = self.design.constants if self.design else {}
        for v in self.program.variables:
            if v.const and isinstance(v.type, SortT) and constant_name(v) not in own:
                elements = named[v.type.name]
                if elements:
                    yield constant_name(v), elements[0]

    def _query(self, bound: Bound) -> InstanceQuery | None:
        """Return the negation of the obligation; None if no step of its kind exists."""
        finite = Finite(bound, open_constants=True)
        initiation = self.obligation.kind == "initiation"
        before = finite.initial() if initiation else finite.state("s")
        step = None
        if self.obligation.action:
            action, case = self.actions[self.obligation.action], self.obligation.case
            if case is not None:
                action = cases_of(action)[case]
            if not finite.inhabited(action):
                return None
            step = finite.step(action, before, finite.arguments(action))
        return self._about(finite, before, step, self.obligation)

    def with_goal(self, query: InstanceQuery, obligation: Obligation) -> InstanceQuery:
        """Return a query about the same state and step, which are not translated again.

        Args:
            query: is about the state and the step.
            obligation: is of the same kind and about the same action as that of the query.
        """
        return self._about(query.finite, query.before, query.step, obligation)

    def _about(
        self, finite: Finite, before: FiniteState, step: FiniteStep | None, obligation: Obligation
    ) -> InstanceQuery:
        usual = [n for n in self.library.assumptions if n not in self.library.restrictions]
        assumed = tuple(dict.fromkeys((*usual, *obligation.hypotheses)))
        known = [finite.holds(self.properties[name], before) for name in assumed]
        if self.obligation.kind == "initiation":
            known += [finite.holds(prop, before) for prop in self.program.initially]
        goal = self.properties.get(obligation.goal)
        if goal is None:
            assert step is not None
            failed = step.asserted if obligation.goal == ASSERTION else step.undefined
            wrong = finite.ops.all(step.enabled, failed)
        elif step is not None:
            wrong = finite.ops.all(step.proper, _false_after(finite, goal, step))
        else:
            wrong = finite.ops.no(finite.holds(goal, before))
        solver = z3.SolverFor("QF_FD")
        solver.add(*map(finite.ops.bit, (*known, wrong)))
        solver.add(*finite.typing)
        return InstanceQuery(finite.bound, finite, solver, before, step, self.until)


def _false_after(finite: Finite, goal: PropertyDecl, step: FiniteStep) -> Any:
    """Return the bit that says that a goal is false after a step, or of it."""
    if goal.of_steps:
        return finite.broken(goal, step)
    return finite.ops.no(finite.holds(goal, step.after))


def _sorts(program: Program, model: Model) -> list[type[Sort]]:
    """Return the sorts of a program, as an instance names them."""
    known = {sort.__name__: sort for i in model.instances for sort in i.sizes}
    for player in program.players.values():
        for value in vars(sys.modules[player.__module__]).values():
            if isinstance(value, type) and issubclass(value, Sort):
                known.setdefault(value.__name__, value)
    return [known[sort.name] for sort in program.sorts]
