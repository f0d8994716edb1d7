"""Ranging: quantifiers, and the sets that comprehensions and operators make.

Sets are asked, not copied, so a formula mentions only what it is about.
"""

from __future__ import annotations

from collections.abc import Callable

from ackproof.proofs.smt.access import Access, Scope
from ackproof.proofs.smt.logic import TRUE, Term, both, either, iff, negation
from ackproof.proofs.smt.values import Scalar, SetValue, Value, same
from ackproof.spec.lang import ir
from ackproof.spec.lang.types import (
    SetT,
    Type,
)

__all__ = ["Ranging"]


class Ranging(Access):
    """Translates what is said of all members of a set, and sets themselves."""

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
