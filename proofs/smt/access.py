"""Access: what names, keys and fields in an expression lead to.

A state is given as the value of each variable by its path, families being maps from their elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import z3
from ackproof.proofs.smt.domain import Domain, Untranslatable
from ackproof.proofs.smt.logic import Term, both, iff, negation
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value, same, width
from ackproof.spec.lang import ir
from ackproof.spec.lang.types import (
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    RecordT,
    SetT,
    SortT,
    Type,
)

__all__ = ["Access", "Place", "Scope", "State"]

#: The value of each variable of a system, by its path.
State = Mapping[tuple[str, ...], Value]


@dataclass(frozen=True)
class Place:
    """A process, a family, or a variable: the names that lead to it, and the keys on the way."""

    root: str
    path: tuple[str, ...] = ()
    keys: tuple[Scalar, ...] = ()


@dataclass(frozen=True)
class Scope:
    """What names stand for: states for roots, values for variables."""

    states: Mapping[str, State]
    names: Mapping[str, Value]

    def knowing(self, name: str, value: Value) -> Scope:
        """Return the scope with one name more."""
        return replace(self, names={**self.names, name: value})

    def seeing(self, root: str, state: State) -> Scope:
        """Return the scope with another state for a root."""
        return replace(self, states={**self.states, root: state})


class Access:
    """Translates what stands for something by itself, over one domain."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    # -- asked for by type ----------------------------------------------------------------------

    def value(self, e: ir.Expr, scope: Scope) -> Value:
        """Return the value of an expression.

        Raises:
            Untranslatable: the domain has no counterpart for something in it.
        """
        method: Callable[[ir.Expr, Scope], Value] | None
        method = getattr(self, f"_{type(e).__name__.lower()}", None)
        if method is None:
            raise Untranslatable(f"{e.span.file}:{e.span.line}: no formula says `{e.span.text}`")
        found: Value = method(e, scope)
        return found

    def scalar(self, e: ir.Expr, scope: Scope) -> Scalar:
        """Return the leaves of a scalar expression."""
        found = self.value(e, scope)
        assert isinstance(found, tuple)
        return found

    def formula(self, e: ir.Expr, scope: Scope) -> Term:
        """Return the formula of an expression that is true or false."""
        return self.scalar(e, scope)[0]

    def members(self, e: ir.Expr, scope: Scope) -> SetValue:
        """Return a set."""
        found = self.value(e, scope)
        assert isinstance(found, SetValue)
        return found

    # -- leaves ---------------------------------------------------------------------------------

    def _lit(self, e: ir.Lit, scope: Scope) -> Value:
        t = e.type
        if isinstance(t, EnumT):
            self.domain.enum(t)
            return (self.domain.enums[t.name][str(e.value)],)
        if isinstance(t, OptionT):
            return self.domain.default(t)
        if isinstance(t, SortT):
            assert isinstance(e.value, int)
            return (self.domain.element(t, e.value),)
        if isinstance(t, IntT):
            assert isinstance(e.value, int)
            return (self.domain.integer(e.value),)
        return (z3.BoolVal(bool(e.value)),)

    def _var(self, e: ir.Var, scope: Scope) -> Value:
        return scope.names[e.name]

    def _first(self, e: ir.First, scope: Scope) -> Value:
        assert isinstance(e.type, SortT)
        return (self.domain.first(e.type),)

    def _universe(self, e: ir.Universe, scope: Scope) -> Value:
        assert isinstance(e.type, SetT)
        return self.domain.universe(e.type.elem)

    def _default(self, e: ir.Default, scope: Scope) -> Value:
        return self.domain.default(e.type)

    # -- access ---------------------------------------------------------------------------------

    def place(self, e: ir.Expr, scope: Scope) -> Place:
        """Return the place that a chain of names and keys leads to, in or below a process."""
        if isinstance(e, ir.Root):
            return Place(e.name)
        if isinstance(e, ir.Field):
            inner = self.place(e.obj, scope)
            return replace(inner, path=(*inner.path, e.name))
        assert isinstance(e, ir.Index)
        inner = self.place(e.obj, scope)
        return replace(inner, keys=(*inner.keys, self.scalar(e.key, scope)))

    def variable(self, place: Place, scope: Scope) -> Value:
        """Return the value of a variable as a whole.

        Raises:
            Untranslatable: it is a sequence, of which there are no formulas here.
        """
        found = scope.states[place.root].get(place.path)
        if found is None:
            raise Untranslatable(
                f"{'.'.join(place.path)} is a sequence, which no formula describes for all sizes; "
                "prove it at the sizes of an instance"
            )
        return found

    def _field(self, e: ir.Field, scope: Scope) -> Value:
        if isinstance(e.obj.type, RecordT):
            return self._part(e, scope)
        place = self.place(e, scope)
        value = self.variable(place, scope)
        for key in place.keys:
            assert isinstance(value, MapValue)
            value = value(key)
        return value

    def _part(self, e: ir.Field, scope: Scope) -> Value:
        assert isinstance(e.obj.type, RecordT)
        leaves, start = self.scalar(e.obj, scope), 0
        for name, t in e.obj.type.fields:
            if name == e.name:
                return leaves[start : start + width(t)]
            start += width(t)
        raise AssertionError(f"{e.obj.type!r} has no field {e.name}")

    def _index(self, e: ir.Index, scope: Scope) -> Value:
        assert not isinstance(e.obj.type, FamilyT), "a process is no value"
        entries = self.value(e.obj, scope)
        assert isinstance(entries, MapValue)
        return entries(self.scalar(e.key, scope))

    def _support(self, e: ir.Support, scope: Scope) -> Value:
        entries = self.value(e.map, scope)
        assert isinstance(entries, MapValue)
        assert isinstance(e.map.type, MapT)
        key, t = e.map.type.key, e.map.type.value

        def holds(k: Scalar) -> Term:
            usual = self.alike(t, entries(k), self.domain.default(t))
            return both((self.domain.there(key, k), negation(usual)))

        return SetValue(key, holds)

    # -- equality -------------------------------------------------------------------------------

    def alike(self, t: Type, a: Value, b: Value) -> Term:
        """Return the formula that says that two values of a type are equal."""
        if isinstance(t, SetT):
            assert isinstance(a, SetValue)
            assert isinstance(b, SetValue)
            one, other = a, b
            return both(
                self.domain.quantify(True, bound, iff(one(x), other(x)))
                for x, bound in self.domain.shapes(t.elem)
            )
        if isinstance(t, MapT):
            assert isinstance(a, MapValue)
            assert isinstance(b, MapValue)
            return both(
                self.domain.quantify(True, bound, self.alike(t.value, a(x), b(x)))
                for x, bound in self.domain.shapes(t.key)
            )
        assert isinstance(a, tuple)
        assert isinstance(b, tuple)
        return same(t, a, b)
