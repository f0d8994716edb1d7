"""Expressions: from the typed representation of the front end to terms.

Each kind of node has a method of its own name.  What an expression means is what Python says it is:
sets and maps are asked, not copied, so a formula mentions only what it is about.  A state is given
as the value of each variable by its path, families being maps from their elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import z3
from ackproof.proofs.smt.domain import Domain, Untranslatable
from ackproof.proofs.smt.logic import TRUE, Term, both, either, iff, ite, negation
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value, choose, same, width
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

__all__ = ["Expressions", "Place", "Scope", "State"]

#: The value of each variable of a system, by its path.
State = Mapping[tuple[str, ...], Value]

#: Sets of fewer members than this are counted by quantifiers.
_COUNTED = 3


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


class Expressions:
    """Translates expressions over one domain."""

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

    # -- logic ----------------------------------------------------------------------------------

    def _not(self, e: ir.Not, scope: Scope) -> Value:
        return (negation(self.formula(e.arg, scope)),)

    def _and(self, e: ir.And, scope: Scope) -> Value:
        return (both(self.formula(a, scope) for a in e.args),)

    def _or(self, e: ir.Or, scope: Scope) -> Value:
        return (either(self.formula(a, scope) for a in e.args),)

    def _ite(self, e: ir.Ite, scope: Scope) -> Value:
        cond = self.formula(e.cond, scope)
        return choose(cond, self.value(e.then, scope), self.value(e.orelse, scope))

    def _let(self, e: ir.Let, scope: Scope) -> Value:
        return self.value(e.body, scope.knowing(e.name, self.value(e.value, scope)))

    def _eq(self, e: ir.Eq, scope: Scope) -> Value:
        counted = self._counted(e.left, e.right, scope)
        if counted is not None:
            members, number = counted
            at_least = self.domain.at_least
            return (both((at_least(members, number), negation(at_least(members, number + 1)))),)
        left, right = self.value(e.left, scope), self.value(e.right, scope)
        return (self.alike(e.left.type, left, right),)

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

    def _less(self, e: ir.Less, scope: Scope) -> Value:
        above = self._counted(e.right, e.left, scope)
        if above is not None:
            members, number = above
            return (self.domain.at_least(members, number + e.strict),)
        below = self._counted(e.left, e.right, scope)
        if below is not None:
            members, number = below
            return (negation(self.domain.at_least(members, number + (not e.strict))),)
        left, right = self.scalar(e.left, scope)[0], self.scalar(e.right, scope)[0]
        return (self.domain.less(e.left.type, left, right, e.strict),)

    def _counted(self, e: ir.Expr, other: ir.Expr, scope: Scope) -> tuple[SetValue, int] | None:
        """Return a set and the small number that its size is compared with, if it is that."""
        if not isinstance(e, ir.Card) or not isinstance(other, ir.Lit):
            return None
        assert isinstance(other.value, int)
        if not 0 <= other.value < _COUNTED:
            return None
        return self.members(e.set, scope), other.value

    def _in(self, e: ir.In, scope: Scope) -> Value:
        return (self.members(e.set, scope)(self.scalar(e.elem, scope)),)

    def _subset(self, e: ir.Subset, scope: Scope) -> Value:
        left, right = self.members(e.left, scope), self.members(e.right, scope)
        within = self.domain.every(left, right)
        if not e.strict:
            return (within,)
        return (both((within, negation(self.domain.every(right, left)))),)

    # -- quantifiers ----------------------------------------------------------------------------

    def _forall(self, e: ir.Forall, scope: Scope) -> Value:
        return (self._ranging(True, e.binders, scope, lambda inner: self.formula(e.body, inner)),)

    def _exists(self, e: ir.Exists, scope: Scope) -> Value:
        return (self._ranging(False, e.binders, scope, lambda inner: self.formula(e.body, inner)),)

    def _ranging(
        self,
        everywhere: bool,
        binders: tuple[ir.Binder, ...],
        scope: Scope,
        body: Callable[[Scope], Term],
    ) -> Term:
        if not binders:
            return body(scope)
        binder, rest = binders[0], binders[1:]

        def inner(x: Scalar) -> Term:
            return self._ranging(everywhere, rest, scope.knowing(binder.name, x), body)

        if isinstance(binder.domain, ir.SetLit):
            parts = [inner(self.scalar(e, scope)) for e in binder.domain.elems]
            return both(parts) if everywhere else either(parts)
        members = self.members(binder.domain, scope)
        return (self.domain.every if everywhere else self.domain.some)(members, inner)

    # -- sets -----------------------------------------------------------------------------------

    def _comprehension(self, e: ir.Comprehension, scope: Scope) -> Value:
        assert isinstance(e.type, SetT)
        elem = e.type.elem
        names = [b.name for b in e.binders]
        own = e.elem.name if isinstance(e.elem, ir.Var) and e.elem.name in names else None

        def holds(x: Scalar) -> Term:
            return self._produced(e, scope, elem, x, own)

        return SetValue(elem, holds)

    def _produced(
        self, e: ir.Comprehension, scope: Scope, elem: Type, x: Scalar, own: str | None
    ) -> Term:
        """Return the formula that says that a comprehension has an element."""

        def from_here(i: int, scope: Scope) -> Term:
            if i == len(e.binders):
                made = TRUE if own else same(elem, self.scalar(e.elem, scope), x)
                return both((made, self.formula(e.cond, scope)))
            binder = e.binders[i]
            if binder.name == own:
                here = self.members(binder.domain, scope)(x)
                return both((here, from_here(i + 1, scope.knowing(binder.name, x))))
            return self._ranging(
                False,
                (binder,),
                scope,
                lambda inner: from_here(i + 1, inner),
            )

        return from_here(0, scope)

    def _setlit(self, e: ir.SetLit, scope: Scope) -> Value:
        assert isinstance(e.type, SetT)
        elem = e.type.elem
        elems = [self.scalar(x, scope) for x in e.elems]
        return SetValue(elem, lambda x: either(same(elem, x, y) for y in elems))

    def _setop(self, e: ir.SetOp, scope: Scope) -> Value:
        left, right = self.members(e.left, scope), self.members(e.right, scope)
        ways: dict[str, Callable[[Scalar], Term]] = {
            "|": lambda x: either((left(x), right(x))),
            "&": lambda x: both((left(x), right(x))),
            "-": lambda x: both((left(x), negation(right(x)))),
            "^": lambda x: negation(iff(left(x), right(x))),
        }
        return SetValue(left.elem, ways[e.op])

    def _extreme(self, e: ir.Extreme, scope: Scope) -> Value:
        found = self.domain.extreme(e.op, self.members(e.set, scope))
        return found if e.optional else found[1:]

    def _card(self, e: ir.Card, scope: Scope) -> Value:
        return (self.domain.count(self.members(e.set, scope)),)

    # -- numbers, options, records --------------------------------------------------------------

    def _arith(self, e: ir.Arith, scope: Scope) -> Value:
        a, b = self.scalar(e.left, scope)[0], self.scalar(e.right, scope)[0]
        ways: dict[str, Callable[[], Term]] = {
            "+": lambda: a + b,
            "-": lambda: a - b,
            "*": lambda: a * b,
            "min": lambda: ite(a <= b, a, b),
            "max": lambda: ite(a <= b, b, a),
        }
        return (ways[e.op](),)

    def _some(self, e: ir.Some, scope: Scope) -> Value:
        return (TRUE, *self.scalar(e.arg, scope))

    def _unwrap(self, e: ir.Unwrap, scope: Scope) -> Value:
        return self.scalar(e.arg, scope)[1:]

    def _isnone(self, e: ir.IsNone, scope: Scope) -> Value:
        return (negation(self.scalar(e.arg, scope)[0]),)

    def _succ(self, e: ir.Succ, scope: Scope) -> Value:
        assert isinstance(e.arg.type, SortT)
        return self.domain.successor(e.arg.type, self.scalar(e.arg, scope)[0])

    def _makerecord(self, e: ir.MakeRecord, scope: Scope) -> Value:
        return tuple(leaf for a in e.args for leaf in self.scalar(a, scope))
