"""Expressions: from the typed representation of the front end to terms.

The translation is one `match` over the kinds of nodes (`Expressions.value`).  It is closed by
`assert_never`, so that the type checker names a kind that has no rule.  A rule that takes more than
a line is a method below the match.

A state gives the value of each variable by its path; a family of processes is a map from its
elements.  What an expression means is what Python says that it is.  Sets and maps are functions
that are applied, not arrays that are copied, so a formula mentions only what it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import assert_never

import z3
from ackproof.lang import ir
from ackproof.lang.types import (
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
from ackproof.proofs.smt.logic import (
    TRUE,
    Term,
    conjunction,
    disjunction,
    iff,
    ite,
    negation,
    product,
)
from ackproof.proofs.smt.unbounded import Unbounded, Untranslatable
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value, choose, parts_of, same

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

    def with_name(self, name: str, value: Value) -> Scope:
        """Return the scope with one name more."""
        return Scope(self.states, {**self.names, name: value})

    def with_state(self, root: str, state: State) -> Scope:
        """Return the scope with another state for a root."""
        return Scope({**self.states, root: state}, self.names)


@dataclass(frozen=True)
class Expressions:
    """Translates expressions over a domain."""

    domain: Unbounded

    # -- by type --------------------------------------------------------------------------------

    def scalar(self, e: ir.Expr, scope: Scope) -> Scalar:
        """Return the leaves of a scalar expression."""
        found = self.value(e, scope)
        assert isinstance(found, tuple)
        return found

    def formula(self, e: ir.Expr, scope: Scope) -> Term:
        """Return the formula of an expression that is true or false."""
        return self.scalar(e, scope)[0]

    def members(self, e: ir.Expr, scope: Scope) -> SetValue:
        """Return the value of an expression that is a set."""
        found = self.value(e, scope)
        assert isinstance(found, SetValue)
        return found

    # -- by kind of node ------------------------------------------------------------------------

    def value(self, e: ir.Expr, scope: Scope) -> Value:
        """Return the value of an expression.

        Raises:
            Untranslatable: the domain has no counterpart for something in it.
        """
        assert isinstance(e, ir.AnyExpr)
        match e:
            case ir.Lit():
                return self._literal(e)
            case ir.Var():
                return scope.names[e.name]
            case ir.First():
                assert isinstance(e.type, SortT)
                if e.owner is None:
                    return (self.domain.first(e.type),)
                return (self.domain.first_of(e.type, self.scalar(e.owner, scope)[0]),)
            case ir.Universe():
                assert isinstance(e.type, SetT)
                return self.domain.universe(e.type.elem)
            case ir.Default():
                return self.domain.default(e.type)
            case ir.Field():
                return self._field(e, scope)
            case ir.Index():
                return self._entry(e, scope)
            case ir.Support():
                return self._support(e, scope)
            case ir.Not():
                return (negation(self.formula(e.arg, scope)),)
            case ir.And():
                return (conjunction(self.formula(a, scope) for a in e.args),)
            case ir.Or():
                return (disjunction(self.formula(a, scope) for a in e.args),)
            case ir.Eq():
                return (self._equal(e, scope),)
            case ir.Less():
                return (self._less(e, scope),)
            case ir.In():
                return (self.members(e.set, scope)(self.scalar(e.elem, scope)),)
            case ir.Subset():
                return (self._subset(e, scope),)
            case ir.Ite():
                cond = self.formula(e.cond, scope)
                return choose(cond, self.value(e.then, scope), self.value(e.orelse, scope))
            case ir.Let():
                return self.value(e.body, scope.with_name(e.name, self.value(e.value, scope)))
            case ir.Forall() | ir.Exists():
                everywhere = isinstance(e, ir.Forall)
                body = e.body
                return (
                    self._quantified(
                        everywhere, e.binders, scope, lambda inner: self.formula(body, inner)
                    ),
                )
            case ir.Comprehension():
                return self._comprehension(e, scope)
            case ir.SetLit():
                return self._set_literal(e, scope)
            case ir.SetOp():
                return self._set_operation(e, scope)
            case ir.Extreme():
                found = self.domain.extreme(e.op, self.members(e.set, scope))
                return found if e.optional else found[1:]
            case ir.Card():
                return (self.domain.count(self.members(e.set, scope)),)
            case ir.Arith():
                return (self._arithmetic(e, scope),)
            case ir.Some():
                return (TRUE, *self.scalar(e.arg, scope))
            case ir.Unwrap():
                return self.scalar(e.arg, scope)[1:]
            case ir.IsNone():
                return (negation(self.scalar(e.arg, scope)[0]),)
            case ir.Owner():
                assert isinstance(e.arg.type, SortT)
                return (self.domain.owner(e.arg.type, self.scalar(e.arg, scope)[0]),)
            case ir.Succ():
                assert isinstance(e.arg.type, SortT)
                return self.domain.successor(e.arg.type, self.scalar(e.arg, scope)[0])
            case ir.MakeRecord():
                return tuple(leaf for a in e.args for leaf in self.scalar(a, scope))
            case ir.Root() | ir.Key() | ir.Head() | ir.Length():
                raise Untranslatable(
                    f"{e.span.file}:{e.span.line}: no formula says `{e.span.text.strip()}`"
                )
            case _:
                assert_never(e)

    def _literal(self, e: ir.Lit) -> Scalar:
        match e.type:
            case EnumT() as t:
                self.domain.enum(t)
                return (self.domain.enums[t.name][str(e.value)],)
            case OptionT() as t:
                return self.domain.scalar_default(t)
            case SortT() as t:
                assert isinstance(e.value, int)
                return (self.domain.element(t, e.value),)
            case IntT():
                assert isinstance(e.value, int)
                return (z3.IntVal(e.value),)
        return (z3.BoolVal(bool(e.value)),)

    # -- places ---------------------------------------------------------------------------------

    def place(self, e: ir.Expr, scope: Scope) -> Place:
        """Return the place that a chain of names and keys leads to, in or below a process."""
        if isinstance(e, ir.Root):
            return Place(e.name)
        if isinstance(e, ir.Field):
            inner = self.place(e.obj, scope)
            return Place(inner.root, (*inner.path, e.name), inner.keys)
        assert isinstance(e, ir.Index)
        inner = self.place(e.obj, scope)
        return Place(inner.root, inner.path, (*inner.keys, self.scalar(e.key, scope)))

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
            return self._record_field(e.obj.type, e, scope)
        place = self.place(e, scope)
        value = self.variable(place, scope)
        for key in place.keys:
            assert isinstance(value, MapValue)
            value = value(key)
        return value

    def _record_field(self, t: RecordT, e: ir.Field, scope: Scope) -> Scalar:
        names = [name for name, _ in t.fields]
        parts = list(parts_of((inner for _, inner in t.fields), self.scalar(e.obj, scope)))
        return parts[names.index(e.name)][1]

    def _entry(self, e: ir.Index, scope: Scope) -> Value:
        assert not isinstance(e.obj.type, FamilyT), "a process is no value"
        entries = self.value(e.obj, scope)
        assert isinstance(entries, MapValue)
        return entries(self.scalar(e.key, scope))

    def _support(self, e: ir.Support, scope: Scope) -> SetValue:
        entries = self.value(e.map, scope)
        assert isinstance(entries, MapValue)
        assert isinstance(e.map.type, MapT)
        key, t = e.map.type.key, e.map.type.value

        def holds(k: Scalar) -> Term:
            usual = self._alike(t, entries(k), self.domain.default(t))
            return conjunction((self.domain.there(key, k), negation(usual)))

        return SetValue(key, holds)

    # -- comparisons ----------------------------------------------------------------------------

    def _alike(self, t: Type, a: Value, b: Value) -> Term:
        """Return the formula that says that two values of a type are equal."""
        if isinstance(t, SetT):
            assert isinstance(a, SetValue)
            assert isinstance(b, SetValue)
            one, other = a, b
            return conjunction(
                self.domain.quantify(True, bound, iff(one(x), other(x)))
                for x, bound in self.domain.shapes(t.elem)
            )
        if isinstance(t, MapT):
            assert isinstance(a, MapValue)
            assert isinstance(b, MapValue)
            return conjunction(
                self.domain.quantify(True, bound, self._alike(t.value, a(x), b(x)))
                for x, bound in self.domain.shapes(t.key)
            )
        assert isinstance(a, tuple)
        assert isinstance(b, tuple)
        return same(t, a, b)

    def _equal(self, e: ir.Eq, scope: Scope) -> Term:
        counted = self._counted(e.left, e.right, scope)
        if counted is not None:
            members, number = counted
            at_least = self.domain.at_least
            return conjunction((at_least(members, number), negation(at_least(members, number + 1))))
        left, right = self.value(e.left, scope), self.value(e.right, scope)
        return self._alike(e.left.type, left, right)

    def _less(self, e: ir.Less, scope: Scope) -> Term:
        above = self._counted(e.right, e.left, scope)
        if above is not None:
            members, number = above
            return self.domain.at_least(members, number + e.strict)
        below = self._counted(e.left, e.right, scope)
        if below is not None:
            members, number = below
            return negation(self.domain.at_least(members, number + (not e.strict)))
        left, right = self.formula(e.left, scope), self.formula(e.right, scope)
        return self.domain.less(left, right, e.strict)

    def _counted(self, e: ir.Expr, other: ir.Expr, scope: Scope) -> tuple[SetValue, int] | None:
        """Return a set and the small number that its size is compared with, if it is that."""
        if not isinstance(e, ir.Card) or not isinstance(other, ir.Lit):
            return None
        assert isinstance(other.value, int)
        if not 0 <= other.value < _COUNTED:
            return None
        return self.members(e.set, scope), other.value

    def _subset(self, e: ir.Subset, scope: Scope) -> Term:
        left, right = self.members(e.left, scope), self.members(e.right, scope)
        within = self.domain.every(left, right)
        if not e.strict:
            return within
        return conjunction((within, negation(self.domain.every(right, left))))

    # -- quantifiers ----------------------------------------------------------------------------

    def _quantified(
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
            return self._quantified(everywhere, rest, scope.with_name(binder.name, x), body)

        if isinstance(binder.domain, ir.SetLit):
            parts = [inner(self.scalar(e, scope)) for e in binder.domain.elems]
            return conjunction(parts) if everywhere else disjunction(parts)
        members = self.members(binder.domain, scope)
        return (self.domain.every if everywhere else self.domain.some)(members, inner)

    # -- sets and numbers -----------------------------------------------------------------------

    def _comprehension(self, e: ir.Comprehension, scope: Scope) -> SetValue:
        assert isinstance(e.type, SetT)
        elem = e.type.elem
        names = [b.name for b in e.binders]
        own = e.elem.name if isinstance(e.elem, ir.Var) and e.elem.name in names else None
        return SetValue(elem, lambda x: self._produced(e, scope, elem, x, own))

    def _produced(
        self, e: ir.Comprehension, scope: Scope, elem: Type, x: Scalar, own: str | None
    ) -> Term:
        """Return the formula that says that a comprehension has an element.

        Args:
            e: the comprehension.
            scope: what its names stand for.
            elem: the type of its elements.
            x: the element.
            own: the name of the binder that is the element itself, if one is.
        """

        def from_here(i: int, scope: Scope) -> Term:
            if i == len(e.binders):
                made = TRUE if own else same(elem, self.scalar(e.elem, scope), x)
                return conjunction((made, self.formula(e.cond, scope)))
            binder = e.binders[i]
            if binder.name == own:
                here = self.members(binder.domain, scope)(x)
                return conjunction((here, from_here(i + 1, scope.with_name(binder.name, x))))
            return self._quantified(False, (binder,), scope, lambda inner: from_here(i + 1, inner))

        return from_here(0, scope)

    def _set_literal(self, e: ir.SetLit, scope: Scope) -> SetValue:
        assert isinstance(e.type, SetT)
        elem = e.type.elem
        elems = [self.scalar(x, scope) for x in e.elems]
        return SetValue(elem, lambda x: disjunction(same(elem, x, y) for y in elems))

    def _set_operation(self, e: ir.SetOp, scope: Scope) -> SetValue:
        left, right = self.members(e.left, scope), self.members(e.right, scope)
        rules: dict[str, Callable[[Scalar], Term]] = {
            "|": lambda x: disjunction((left(x), right(x))),
            "&": lambda x: conjunction((left(x), right(x))),
            "-": lambda x: conjunction((left(x), negation(right(x)))),
            "^": lambda x: negation(iff(left(x), right(x))),
        }
        return SetValue(left.elem, rules[e.op])

    def _arithmetic(self, e: ir.Arith, scope: Scope) -> Term:
        a, b = self.formula(e.left, scope), self.formula(e.right, scope)
        rules: dict[str, Callable[[], Term]] = {
            "+": lambda: a + b,
            "-": lambda: a - b,
            "*": lambda: product(a, b),
            "min": lambda: ite(a <= b, a, b),
            "max": lambda: ite(a <= b, b, a),
        }
        return rules[e.op]()
