"""Expressions: from the typed representation of the front end to terms.

Each kind of node has a method of its own name.  What an expression means is what Python says it is:
sets and maps are asked, not copied, so a formula mentions only what it is about.
"""

from __future__ import annotations

from collections.abc import Callable

from ackproof.proofs.smt.access import Place, Scope, State
from ackproof.proofs.smt.logic import TRUE, Term, both, either, ite, negation
from ackproof.proofs.smt.ranging import Ranging
from ackproof.proofs.smt.values import SetValue, Value, choose
from ackproof.spec.lang import ir
from ackproof.spec.lang.types import (
    SortT,
)

__all__ = ["Expressions", "Place", "Scope", "State"]

#: Sets of fewer members than this are counted by quantifiers.
_COUNTED = 3


class Expressions(Ranging):
    """Translates expressions over one domain."""

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
