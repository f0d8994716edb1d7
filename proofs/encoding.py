"""Encoding: candidates and steps of an instance, as formulas about bits.

The instance has a few elements of each sort, every fault may happen, and constants may have any
values: what a step does there to a candidate, it does wherever there is more of everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import z3
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.ops import Bit
from ackproof.proofs.relevance import paths_in
from ackproof.proofs.sampling import choices
from ackproof.proofs.smt.finite import Finite, FiniteState, FiniteStep
from ackproof.proofs.smt.logic import FALSE, Term, negation
from ackproof.proofs.templates import Clause, Literal
from ackproof.proofs.vocabulary import Atom
from ackproof.spec.lang.binding import Bound, bind
from ackproof.spec.lang.model import Design, Instance, Model
from ackproof.spec.lang.program import Program, PropertyDecl
from ackproof.spec.lang.types import SortT

__all__ = ["Claim", "Encoding", "of_steps", "small"]

#: What may be a candidate.
Claim = Clause | PropertyDecl

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
    first = {sort.__name__: sort.named(1)[0] for sort in sizes}
    constants = {
        f"{v.owner}.{v.path[-1]}": first[v.type.name]
        for v in program.variables
        if v.const and isinstance(v.type, SortT)
    }
    faults = {a.name: 1 for a in program.actions if a.kind == "fault"}
    wide = replace(instance, sizes=sizes, faults=faults, constants=constants)
    return bind(model, wide, design, program=program)


def of_steps(claim: Claim) -> bool:
    """Tell whether a claim is about steps."""
    return isinstance(claim, PropertyDecl) and claim.of_steps


class Encoding:
    """The states and steps of an instance, and what claims say of them.

    Args:
        bound: the instance.

    Attributes:
        before: any state.
        initial: the initial state.
        steps: from any state, each action with any arguments.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.finite = Finite(bound, open_constants=True)
        self.before = self.finite.state("s")
        self.initial = self.finite.initial()
        self.steps = [
            self.finite.step(a, self.before, self.finite.arguments(a))
            for a in bound.actions
            if self.finite.inhabited(a)
        ]
        # The states above are kept as long as this is, so that their numbers stay theirs.
        self._bits: dict[tuple[int, Atom, tuple[Any, ...]], Bit] = {}
        self._broken: dict[tuple[Claim, int], Term] = {}
        self._reads: dict[Claim, frozenset[tuple[str, ...]]] = {}

    def bit(self, bit: Bit) -> Term:
        """Return a bit as a formula."""
        return self.finite.ops.bit(bit)

    def true(self, claim: Claim, state: FiniteState) -> Term:
        """Return the formula that says that a claim about states is true in one."""
        if isinstance(claim, PropertyDecl):
            return self.bit(self.finite.holds(claim, state))
        ops = self.finite.ops
        said = []
        for chosen in choices(self.bound, claim.sorts):
            at = ((x, tuple(chosen[i] for i in x.at)) for x in claim.ordered)
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

    def broken(self, claim: Claim, step: FiniteStep) -> Term:
        """Return the formula that says that a claim is false after a step, or of it.

        It is false as such where the step leaves alone what the claim speaks of.
        """
        if isinstance(claim, PropertyDecl) and claim.of_steps:
            return self.bit(self.finite.broken(claim, step))
        if not self.reads(claim) & self._written(step):
            return FALSE
        key = (claim, id(step))
        if key not in self._broken:
            after = self.true(claim, step.after)
            same = z3.eq(after, self.true(claim, self.before))
            self._broken[key] = FALSE if same else negation(after)
        return self._broken[key]

    def reads(self, claim: Claim) -> frozenset[tuple[str, ...]]:
        """Return the variables that a claim speaks of."""
        if claim not in self._reads:
            self._reads[claim] = (
                paths_in(claim.body, {})
                if isinstance(claim, PropertyDecl)
                else frozenset(x.atom.variable.path for x in claim.literals if x.atom.variable)
            )
        return self._reads[claim]

    def _written(self, step: FiniteStep) -> set[tuple[str, ...]]:
        """Return the variables that a step writes."""
        places = self.bound.locations
        return {
            places[leaf.location].variable.path
            for leaf in step.after.written
            if leaf.location < len(places)
        }
