"""Encoding: candidates and steps of an instance, as formulas about bits.

The instance has a few elements of each sort, every fault may happen, and constants may have any
values: what a step does there to a candidate, it does wherever there is more of everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import z3
from ackproof.lang.binding import Bound, bind
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Program, PropertyDecl
from ackproof.lang.sorts import elements_of
from ackproof.lang.types import SortT
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.ops import Bit
from ackproof.proofs.relevance import paths_in
from ackproof.proofs.sampling import choices
from ackproof.proofs.smt.finite import Finite, FiniteState, FiniteStep
from ackproof.proofs.smt.logic import FALSE, Term, negation
from ackproof.proofs.templates import Clause, Literal
from ackproof.proofs.vocabulary import Atom

__all__ = ["Candidate", "Encoding", "of_steps", "small"]

#: What may be a candidate.
Candidate = Clause | PropertyDecl

#: How many elements sorts have, at least.
_SIZE = 2


def small(model: Model, program: Program, design: Design | None, instance: Instance) -> Bound:
    """Return a program at the sizes of an instance, where no sort is empty and all may happen.

    Args:
        model: the model.
        program: the model, compiled.
        design: the change to the model that it was compiled with.
        instance: the instance.
    """
    sizes = {sort: max(_SIZE, n) for sort, n in instance.sizes.items()}
    first = {sort.__name__: elements[0] for sort, elements in elements_of(sizes).items()}
    constants = {
        f"{v.owner}.{v.path[-1]}": first[v.type.name]
        for v in program.variables
        if v.const and isinstance(v.type, SortT)
    }
    faults = {a.name: 1 for a in program.actions if a.kind == "fault"}
    wide = replace(instance, sizes=sizes, faults=faults, constants=constants)
    return bind(model, wide, design, program=program)


def of_steps(candidate: Candidate) -> bool:
    """Tell whether a candidate is about steps."""
    return isinstance(candidate, PropertyDecl) and candidate.of_steps


class Encoding:
    """The states and steps of an instance, and what candidates say of them.

    Args:
        bound: the instance.

    Attributes:
        before: any state.
        initial: any initial state; `beginning` says that it is one.
        steps: from any state, each action with any arguments.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.finite = Finite(bound, open_constants=True)
        self.before = self.finite.state("s")
        self.initial = self.finite.initial()
        self.beginning = self.finite.beginning(self.initial)
        self.steps = [
            self.finite.step(a, self.before, self.finite.arguments(a))
            for a in bound.actions
            if self.finite.inhabited(a)
        ]
        # The states above are kept as long as this is, so that their numbers stay theirs.
        self._bits: dict[tuple[int, Atom, tuple[Any, ...]], Bit] = {}
        self._broken: dict[tuple[Candidate, int], Term] = {}
        self._reads: dict[Candidate, frozenset[tuple[str, ...]]] = {}

    def bit(self, bit: Bit) -> Term:
        """Return a bit as a formula."""
        return self.finite.ops.bit(bit)

    def true(self, candidate: Candidate, state: FiniteState) -> Term:
        """Return the formula that says that a candidate about states is true in one."""
        if isinstance(candidate, PropertyDecl):
            return self.bit(self.finite.holds(candidate, state))
        ops = self.finite.ops
        said = []
        for chosen in choices(self.bound, candidate.sorts):
            at = ((x, tuple(chosen[i] for i in x.at)) for x in candidate.ordered)
            said.append(ops.any(*(self._literal(x, of, state) for x, of in at)))
        return self.bit(ops.all(*said))

    def _literal(self, one: Literal, of: tuple[Any, ...], state: FiniteState) -> Bit:
        key = (id(state), one.atom, of)
        if key not in self._bits:
            names = tuple(f"x{i}" for i in range(len(of)))
            values: Mapping[str, Any] = {
                n: self.finite.codec.from_data(t, value)
                for n, t, value in zip(names, one.atom.sorts, of, strict=True)
            }
            said = one.atom.expression(names, self.bound.program)
            reader = Evaluator(self.finite.access, {"s": state}, dict(values))
            self._bits[key] = reader.bit(said)
        bit = self._bits[key]
        return bit if one.holds else self.finite.ops.no(bit)

    def broken(self, candidate: Candidate, step: FiniteStep) -> Term:
        """Return the formula that says that a candidate is false after a step, or of it.

        It is false as such where the step leaves alone what the candidate speaks of.
        """
        if isinstance(candidate, PropertyDecl) and candidate.of_steps:
            return self.bit(self.finite.broken(candidate, step))
        if not self.reads(candidate) & self._written(step):
            return FALSE
        key = (candidate, id(step))
        if key not in self._broken:
            after = self.true(candidate, step.after)
            same = z3.eq(after, self.true(candidate, self.before))
            self._broken[key] = FALSE if same else negation(after)
        return self._broken[key]

    def reads(self, candidate: Candidate) -> frozenset[tuple[str, ...]]:
        """Return the variables that a candidate speaks of."""
        if candidate not in self._reads:
            self._reads[candidate] = (
                paths_in(candidate.body, {})
                if isinstance(candidate, PropertyDecl)
                else frozenset(x.atom.variable.path for x in candidate.literals if x.atom.variable)
            )
        return self._reads[candidate]

    def _written(self, step: FiniteStep) -> set[tuple[str, ...]]:
        """Return the variables that a step writes."""
        places = self.bound.locations
        return {
            places[leaf.location].variable.path
            for leaf in step.after.written
            if leaf.location < len(places)
        }
