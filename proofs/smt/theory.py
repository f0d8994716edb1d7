"""A specification as a theory: symbols for its states, and its steps as formulas.

A state is named: the symbols of the state `s` are `s.server.waiting` and so on, one for each
leaf of each variable, as a function of the elements of the families it lies in and of the keys of
maps.  Constants belong to no state; theirs are `const.server.capacity` and so on.  A step has
arguments, which may be symbols too, `arg.serve.client`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import z3
from ackproof.lang.program import Action, Program, PropertyDecl, Variable
from ackproof.lang.types import BOOL, MapT, OptionT, RecordT, SeqT, SetT, SortT, Type
from ackproof.proofs.smt.execution import Claim, Event, Execution
from ackproof.proofs.smt.expressions import Expressions, Scope, State
from ackproof.proofs.smt.logic import Term, conjunction
from ackproof.proofs.smt.making import applied
from ackproof.proofs.smt.unbounded import Unbounded
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value, width

__all__ = ["Step", "Theory"]

#: What the symbols of a state start with that steps have led to.
_REACHED = "s."

#: The type of a leaf, and which leaves say if there is anything: those of the options it lies in.
_Leaf = tuple[Type, tuple[int, ...]]


@dataclass(frozen=True)
class Step:
    """An action with arguments, as formulas over the state before.

    Attributes:
        action: which.
        arguments: the leaves of each parameter.
        enabled: what must hold for it to be taken; the arguments exist.
        after: the state that it leads to.
        events: the events that it may emit.
        written: the variables that it may change, by their paths.
        exists: what its arguments must be.
        claims: what it needs in order not to fail.
    """

    action: Action
    arguments: Mapping[str, Value]
    enabled: Term
    after: State
    events: tuple[Event, ...]
    written: frozenset[tuple[str, ...]]
    exists: Term
    claims: tuple[Claim, ...]

    def claimed(self, name: str) -> Term:
        """Return what says that the step does not break a built-in property.

        Raises:
            Untranslatable: the domain has no counterpart for something in it.
        """
        return conjunction(one.said() for one in self.claims if one.name == name)


class Theory:
    """The states and steps of a program over a domain.

    Args:
        program: what the front end made of a model and a design.
        domain: what quantifiers range over.
    """

    def __init__(self, program: Program, domain: Unbounded) -> None:
        self.program = program
        self.domain = domain
        self.expressions = Expressions(domain)
        self.typing: dict[str, list[Term]] = {}
        self._symbols: dict[str, z3.FuncDeclRef] = {}
        self._states: dict[str, State] = {}
        self._initial: State | None = None
        self._beginning: Term | None = None

    # -- states ---------------------------------------------------------------------------------

    def state(self, name: str) -> State:
        """Return the state of that name: any state at all."""
        if name not in self._states:
            self._states[name] = {
                v.path: self._variable(v, name)
                for v in self.program.variables
                if not _is_sequence(v.type)
            }
        return self._states[name]

    def _variable(self, v: Variable, state: str) -> Value:
        prefix = f"{'const' if v.const else state}.{v.name}"
        t: Type = v.type
        for family in reversed(v.families):
            t = MapT(family, t)
        return self.symbol(prefix, t, (), ())

    def symbol(self, name: str, t: Type, dims: tuple[Type, ...], at: Scalar) -> Value:
        """Return the value of a type that a symbol stands for, at the keys given so far."""
        if isinstance(t, MapT):
            value = t.value
            return MapValue(
                t.key, value, lambda k: self.symbol(name, value, (*dims, t.key), (*at, *k))
            )
        if isinstance(t, SetT):
            elem = t.elem
            return SetValue(
                elem, lambda x: self._apply(name, t, (*dims, elem), (*at, *x), z3.BoolSort())
            )
        leaves = list(_leaves(t))
        sorts = self.domain.sorts(t)
        names = [name] if len(sorts) == 1 else [f"{name}.{i}" for i in range(len(sorts))]
        return tuple(
            self._apply(names[i], kind, dims, at, sorts[i], tuple(names[o] for o in options))
            for i, (kind, options) in enumerate(leaves)
        )

    def _apply(
        self,
        name: str,
        t: Type,
        dims: tuple[Type, ...],
        at: Scalar,
        sort: z3.SortRef,
        options: tuple[str, ...] = (),
    ) -> Term:
        """Return what a symbol stands for; `options` are those that say if there is anything."""
        if name not in self.typing:
            keys = [s for d in dims for s in self.domain.sorts(d)]
            there = [z3.Function(o, *keys, z3.BoolSort()) for o in options]
            self._symbols[name] = z3.Function(name, *keys, sort)
            self.typing[name] = self.domain.typing(
                t, self._symbols[name], dims, there, in_range=not name.startswith(_REACHED)
            )
        return applied(self._symbols[name], at)

    def initial(self) -> State:
        """Return an initial state: what may start with anything has symbols; see `beginning`."""
        if self._initial is None:
            self._initial = self._initially()
        return self._initial

    def _initially(self) -> State:
        nowhere = Scope({}, {})
        found: dict[tuple[str, ...], Value] = dict(self.state("initial"))
        for v in self.program.variables:
            if v.const or v.anything or _is_sequence(v.type):
                continue
            if v.initial.names:
                found[v.path] = self._by_member(v, v.families, nowhere)
                continue
            value = self.expressions.value(v.initial, nowhere)
            for family in reversed(v.families):
                value = _everywhere(family, v.type, value)
            found[v.path] = value
        return found

    def _by_member(self, v: Variable, families: tuple[SortT, ...], scope: Scope) -> Value:
        """Return an initial value that depends on the members of the families it lies in."""
        if not families:
            return self.expressions.value(v.initial, scope)
        name, rest = v.keys[-len(families)], families[1:]
        return MapValue(
            families[0], v.type, lambda k: self._by_member(v, rest, scope.with_name(name, k))
        )

    def beginning(self) -> Term:
        """Return what makes the initial state one: its first elements exist, and what is chosen.

        Raises:
            Untranslatable: this domain has no formula for what is true of every initial state.
        """
        if self._beginning is None:
            first = self.initial()
            found = [self.formula(prop, first) for prop in self.program.initially]
            for v in self.program.variables:
                value = first.get(v.path)
                if isinstance(value, tuple) and not v.const:
                    found.append(self.domain.there(v.type, value))
            self._beginning = conjunction(found)
        return self._beginning

    # -- steps ----------------------------------------------------------------------------------

    def arguments(self, action: Action) -> dict[str, Value]:
        """Return symbols for the arguments of an action."""
        return {
            p.name: self.symbol(f"arg.{action.name}.{p.name}", p.type, (), ())
            for p in action.params
        }

    def step(
        self, action: Action, before: State, arguments: Mapping[str, Value] | None = None
    ) -> Step:
        """Return what an action does in a state, with any arguments if none are given.

        Raises:
            Untranslatable: this domain has no formula for something in it.
        """
        given = self.arguments(action) if arguments is None else arguments
        execution = Execution(self.expressions)
        exists = []
        for p in action.params:
            value = given[p.name]
            if isinstance(value, tuple):
                exists.append(self.domain.there(p.type, value))
        scope = execution.block(action.body, Scope({"self": before}, dict(given)))
        return Step(
            action,
            given,
            conjunction((*exists, *execution.enabled, *execution.asserted)),
            scope.states["self"],
            tuple(execution.events),
            frozenset(execution.written),
            conjunction(exists),
            tuple(execution.claims),
        )

    # -- properties -----------------------------------------------------------------------------

    def formula(
        self,
        prop: PropertyDecl,
        *states: State,
        event: Scalar | None = None,
        elements: Mapping[str, Value] | None = None,
    ) -> Term:
        """Return the formula that a property states, of one state or of two.

        Args:
            prop: the property.
            states: as many as it is about.
            event: for a property with an event.
            elements: by name, for a property that is about elements, or about what was asked for.
        """
        names = dict(elements or {})
        if prop.event is not None:
            assert event is not None
            names[prop.event.name] = event
        scope = Scope(dict(zip(prop.roots, states, strict=True)), names)
        return self.expressions.formula(prop.body, scope)


def _is_sequence(t: Type) -> bool:
    """Tell whether values of a type are sequences, which have no symbol."""
    while isinstance(t, MapT):
        t = t.value
    return isinstance(t, SeqT)


def _everywhere(key: Type, t: Type, value: Value) -> MapValue:
    return MapValue(key, t, lambda _: value)


def _leaves(t: Type, start: int = 0, options: tuple[int, ...] = ()) -> Iterator[_Leaf]:
    """Yield the leaves of a scalar type, with the numbers of those that say if they are any."""
    if isinstance(t, OptionT):
        yield BOOL, options
        yield from _leaves(t.inner, start + 1, (*options, start))
    elif isinstance(t, RecordT):
        for _, inner in t.fields:
            yield from _leaves(inner, start, options)
            start += width(inner)
    else:
        yield t, options
