"""The transition relation of an instance: one formula that says that one state follows another.

Which action happens is a number, and its arguments are symbols, so the solver chooses both.  What a
leaf is afterwards is what the chosen action makes of it, and what it was if that does not write it.
The relation is made once, and renamed for each step of a run.

From the initial state on, much of an instance stands still (what an empty sort or a fault without a
budget leaves out); such leaves keep their value, and actions that are never enabled are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import z3
from ackproof.lang.binding import Bound
from ackproof.lang.program import PropertyDecl
from ackproof.lang.properties import ASSERTION, DEFINED
from ackproof.model.lower.codec import Value
from ackproof.model.lower.fixed import fixed
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import Bit
from ackproof.proofs.smt.finite import Finite, FiniteStep, Reading, reading
from ackproof.proofs.smt.logic import Term, conjunction, constants, negation

__all__ = ["Transition"]

#: Prefixes of the symbols of a state and of the next: no name of a specification begins so.
_BEFORE, _AFTER = "!s", "!t"


class Transition:
    """States and steps of a bound program, numbered from 0.

    Args:
        bound: the program at the sizes of an instance.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        parts = fixed(bound)
        initial = Finite(bound).leaves.values(bound.first())
        self.finite = Finite(bound, {leaf: initial[leaf] for leaf in parts.leaves})
        self.ops = self.finite.ops
        self.before = self.finite.state(_BEFORE)
        self.steps: list[FiniteStep] = [
            self.finite.step(action, self.before, self.finite.arguments(action))
            for action in bound.actions
            if action.name not in parts.dead and self.finite.inhabited(action)
        ]
        self.chosen = self.ops.symbol("!action", max(1, len(self.steps).bit_length()))
        self._broken: dict[str, Term] = {}
        self._held: dict[str, Term] = {}
        self._symbols: dict[int, tuple[Term, list[Term]]] = {}

    # -- made once ------------------------------------------------------------------------------

    def _is(self, number: int) -> Bit:
        return self.ops.equal(self.chosen, number)

    @cached_property
    def _relation(self) -> Term:
        ops, types = self.ops, self.finite.leaves.types
        said = [ops.less(self.chosen, len(self.steps), True)]
        after: dict[Leaf, Value] = dict(self.before.before)
        for number, step in enumerate(self.steps):
            here = self._is(number)
            said.append(ops.any(ops.no(here), step.proper))
            for leaf, value in step.after.written.items():
                after[leaf] = self.finite.codec.choose(types[leaf], here, value, after[leaf])
        later = self.finite.state(_AFTER)
        said += [
            self.finite.alike(leaf, later.before[leaf], after[leaf])
            for leaf in types
            if leaf not in self.finite.known
        ]
        return conjunction((*self.finite.typing, *map(ops.bit, said)))

    @cached_property
    def _typing(self) -> Term:
        return conjunction(self.finite.typing)

    @cached_property
    def _initial(self) -> Term:
        return self.finite.beginning(self.before)

    @cached_property
    def _changing(self) -> list[Term]:
        """The symbols of a state."""
        found = constants(conjunction((self._relation, self._initial))).values()
        return [x for x in found if x.decl().name().startswith(_BEFORE)]

    # -- about a state, or a step ---------------------------------------------------------------

    def at(self, term: Term, number: int) -> Term:
        """Return a formula about a state, and the step from it, for those of that number."""
        if term.get_id() not in self._symbols:
            self._symbols[term.get_id()] = (term, list(constants(term).values()))
        symbols = self._symbols[term.get_id()][1]
        pairs = [(x, self._renamed(x, number)) for x in symbols]
        return z3.substitute(term, *pairs) if pairs else term

    def _renamed(self, x: Term, number: int) -> Term:
        name = x.decl().name()
        if name.startswith(_AFTER):
            name, number = _BEFORE + name[len(_AFTER) :], number + 1
        return z3.Const(f"{name}@{number}", x.sort())

    def initially(self) -> Term:
        """Return the formula that says that state 0 is an initial one."""
        return self.at(self._initial, 0)

    def typed(self, number: int) -> Term:
        """Return what the symbols of a state, and of a step from it, can be."""
        return self.at(self._typing, number)

    def related(self, number: int) -> Term:
        """Return the formula that says that a step leads from a state to the next."""
        return self.at(self._relation, number)

    def holds(self, prop: PropertyDecl, number: int) -> Term:
        """Return the formula that says that a property of states holds in one."""
        if prop.name not in self._held:
            self._held[prop.name] = self.ops.bit(self.finite.holds(prop, self.before))
        return self.at(self._held[prop.name], number)

    def breaks(self, prop: PropertyDecl | str, number: int) -> Term:
        """Return the formula that says that a step from a state breaks a property.

        Args:
            prop: a property of steps, or the name of a built-in one.
            number: of the state.
        """
        name = prop if isinstance(prop, str) else prop.name
        if name not in self._broken:
            wrong = [
                self.ops.all(self._is(i), self._wrong(prop, step))
                for i, step in enumerate(self.steps)
            ]
            self._broken[name] = self.ops.bit(self.ops.any(*wrong))
        return self.at(conjunction((self._typing, self._broken[name])), number)

    def _wrong(self, prop: PropertyDecl | str, step: FiniteStep) -> Bit:
        if prop == ASSERTION:
            return self.ops.all(step.enabled, step.asserted)
        if prop == DEFINED:
            return self.ops.all(step.enabled, step.undefined)
        assert not isinstance(prop, str)
        return self.ops.all(step.proper, self.finite.broken(prop, step))

    def differ(self, one: int, other: int) -> Term:
        """Return the formula that says that two states are not the same."""
        return negation(
            conjunction(self._renamed(x, one) == self._renamed(x, other) for x in self._changing)
        )

    # -- from a model ---------------------------------------------------------------------------

    def path(self, model: z3.ModelRef, length: int) -> list[int]:
        """Return the numbers of the action instances of a run of that many steps."""
        numbers: Mapping[object, int] = {
            (i.action.name, i.args): n for n, i in enumerate(self.bound.instances())
        }
        found = []
        for number in range(length):
            read = self._reading(model, number)
            step = self.steps[self.finite.value(self.chosen, read)]
            args = self.finite.arguments_data(step, read)
            found.append(numbers[step.action.name, args])
        return found

    def state(self, model: z3.ModelRef, number: int) -> tuple[object, ...]:
        """Return a state of a run as data."""
        return self.finite.data(self.before, self._reading(model, number))

    def _reading(self, model: z3.ModelRef, number: int) -> Reading:
        read = reading(model)
        return lambda term: read(self.at(term, number))
