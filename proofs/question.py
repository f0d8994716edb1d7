"""An obligation at the sizes of an instance, put to a solver.

Here it is decided: sorts have so many elements, and everything is what it is, cardinalities and
sequences, too.  Constants are left open, but for those that a design gives.  A solver that reasons
about sorts of any size may only say `unknown` of the same obligation.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import z3
from ackproof.proofs.lemma import Library
from ackproof.proofs.obligations import Obligation
from ackproof.proofs.smt.finite import Finite, FiniteState, FiniteStep
from ackproof.proofs.smt.logic import Term
from ackproof.proofs.smt.open_constants import constant_name
from ackproof.spec.lang.binding import Bound, bind
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.model import Design, Instance, Model
from ackproof.spec.lang.program import Program, PropertyDecl
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.types import SortT

__all__ = ["Question", "Questions", "Sizes", "described", "with_claims"]

#: How many elements each sort has.
Sizes = Mapping[type[Sort], int]


def with_claims(model: Model, library: Library) -> Model:
    """Return a model that has the lemmas and assumptions of a library among its properties."""
    claims = {p.name: p for p in (*model.properties, *library.claims())}
    return replace(model, properties=tuple(claims.values()))


def described(sizes: Sizes) -> str:
    """Return sizes in words: `Msg 1, Queue 2`."""
    return ", ".join(f"{sort.__name__} {size}" for sort, size in sizes.items())


@dataclass
class Question:
    """What the solver is asked: is there a state, and a step, that the obligation forbids?

    Attributes:
        bound: the instance.
        finite: its states and steps as terms.
        solver: has the question.
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


class Questions:
    """One obligation, at any sizes.

    Args:
        model: the model, without its lemmas.
        design: a change to it.
        library: the lemmas and assumptions.
        obligation: what is to be decided.
        program: the model with lemmas and design, compiled.
        limit: seconds for all questions together.
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
        self.model = with_claims(model, library)
        self.design = design
        self.library = library
        self.obligation = obligation
        self.program = program
        self.until = time.perf_counter() + limit
        self.properties = {p.name: p for p in program.properties}
        self.actions = {a.name: a for a in program.actions}
        self.sorts = _sorts(program, model)

    def at(self, sizes: Sizes) -> Question | None:
        """Return the question at some sizes; None where it cannot come up.

        Raises:
            BindError: at these sizes a set is too wide to be computed with.
        """
        try:
            bound = self.bound(sizes, {})
        except BindError:  # there is no first element of an empty sort
            return None
        return self._question(bound)

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
        named = {sort.__name__: sort for sort in sizes}
        own = self.design.constants if self.design else {}
        for v in self.program.variables:
            if v.const and isinstance(v.type, SortT) and constant_name(v) not in own:
                elements = named[v.type.name].named(sizes[named[v.type.name]])
                if elements:
                    yield constant_name(v), elements[0]

    def _question(self, bound: Bound) -> Question | None:
        """Return the negation of the obligation; None if no step of its kind exists."""
        finite = Finite(bound, open_constants=True)
        before = finite.initial() if self.obligation.kind == "initiation" else finite.state("s")
        step = None
        if self.obligation.action:
            action = self.actions[self.obligation.action]
            if not finite.inhabited(action):
                return None
            step = finite.step(action, before, finite.arguments(action))
        return self._about(finite, before, step, self.obligation)

    def also(self, question: Question, obligation: Obligation) -> Question:
        """Return another question about the same state and step, which are not translated again.

        Args:
            question: is about the state and the step.
            obligation: is of the same kind and about the same action as that of the question.
        """
        return self._about(question.finite, question.before, question.step, obligation)

    def _about(
        self, finite: Finite, before: FiniteState, step: FiniteStep | None, obligation: Obligation
    ) -> Question:
        usual = [n for n in self.library.assumptions if n not in self.library.restrictions]
        supposed = tuple(dict.fromkeys((*usual, *obligation.hypotheses)))
        known = [finite.holds(self.properties[name], before) for name in supposed]
        goal = self.properties[obligation.goal]
        if step is not None:
            wrong = finite.ops.all(step.proper, _false_after(finite, goal, step))
        else:
            wrong = finite.ops.no(finite.holds(goal, before))
        solver = z3.SolverFor("QF_FD")
        solver.add(*map(finite.ops.bit, (*known, wrong)))
        solver.add(*finite.typing)
        return Question(finite.bound, finite, solver, before, step, self.until)


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
