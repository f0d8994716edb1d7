"""Logic: comparisons, membership, `and`, `or`, `not`, and the choice between two values."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ackproof.spec.lang import ir
from ackproof.spec.lang.access import Access
from ackproof.spec.lang.ir import Expr
from ackproof.spec.lang.scope import known_after
from ackproof.spec.lang.types import (
    BOOL,
    BoolT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    SeqT,
    SetT,
    SortT,
    Type,
    is_scalar,
    join_ints,
    written,
)

__all__ = ["Comparisons"]


class Comparisons(Access):
    """Reads what comes out true or false, and what hangs on it."""

    # -- and, or, not, if -----------------------------------------------------------------------

    def _boolop(self, node: ast.BoolOp, expected: Type | None) -> Expr:
        return self._junction(node, self._operand)

    def _junction(self, node: ast.BoolOp, read: Callable[[ast.expr], Expr]) -> Expr:
        """Return a conjunction or disjunction; each operand is read knowing those before it."""
        conjunction = isinstance(node.op, ast.And)
        args: list[Expr] = []
        facts: frozenset[str] = frozenset()
        for value in node.values:
            with self.scope.knowing(facts):
                args.append(read(value))
            facts |= known_after(args[-1], conjunction)
        make = ir.And if conjunction else ir.Or
        return make(tuple(args), type=BOOL, span=self.scope.span(node))

    def _operand(self, node: ast.expr) -> Expr:
        """Return an operand of `and` or `or` whose value is used: it must be a truth value."""
        found = self.expr(node)
        if isinstance(found.type, SetT | MapT | SeqT):
            raise self.error(
                node,
                "`and` and `or` give one of their operands, and this one is not True or False",
                "write bool(…) around it",
            )
        return found if isinstance(found.type, BoolT) else self.boolean(node)

    def _unaryop(self, node: ast.UnaryOp, expected: Type | None) -> Expr:
        span = self.scope.span(node)
        if isinstance(node.op, ast.Not):
            return ir.Not(self.boolean(node.operand), type=BOOL, span=span)
        operand = node.operand
        if (
            isinstance(node.op, ast.USub)
            and isinstance(operand, ast.Constant)
            and type(operand.value) is int
        ):
            return ir.Lit(-operand.value, type=IntT(-operand.value, -operand.value), span=span)
        raise self.error(
            node,
            "this operator is outside the language",
            "use `not`, or write 0 - x for a negative number",
        )

    def _ifexp(self, node: ast.IfExp, expected: Type | None) -> Expr:
        return self.choice(node, self.boolean(node.test), node.body, node.orelse, expected)

    def choice(
        self,
        node: ast.AST,
        cond: Expr,
        then: ast.expr,
        orelse: ast.expr,
        expected: Type | None = None,
    ) -> Expr:
        """Return `then` if `cond` else `orelse`, each read knowing how `cond` came out."""
        facts = known_after(cond, True), known_after(cond, False)
        if expected is None and self._typeless(then):
            with self.scope.knowing(facts[1]):
                expected = self._optional(orelse)
        if expected is None and self._typeless(orelse):
            with self.scope.knowing(facts[0]):
                expected = self._optional(then)
        with self.scope.knowing(facts[0]):
            yes = self.expr(then, expected)
        with self.scope.knowing(facts[1]):
            no = self.expr(orelse, expected)
        return self.either(node, cond, yes, no)

    def _optional(self, node: ast.expr) -> Type | None:
        """Return the type of what stands beside None or `set()`."""
        if self._typeless(node):
            return None
        found = self.expr(node).type
        if isinstance(found, OptionT | SetT):
            return found
        return OptionT(found) if is_scalar(found) else None

    def either(self, node: ast.AST, cond: Expr, yes: Expr, no: Expr) -> Expr:
        """Return the choice between two values, brought to one type."""
        yes, no = self._same(node, yes, no)
        t = yes.type
        if isinstance(t, MapT | SeqT | ProcT | FamilyT):
            raise self.error(
                node,
                f"values of type {written(t)} are not chosen as a whole",
                "choose between their entries, or between sets of their keys",
            )
        if isinstance(t, IntT) and isinstance(no.type, IntT):
            t = join_ints(t, no.type)
        return ir.Ite(cond, yes, no, type=t, span=self.scope.span(node))

    def _same(self, node: ast.AST, left: Expr, right: Expr) -> tuple[Expr, Expr]:
        """Bring two expressions to one type: lift to an option where the other side is one."""
        if isinstance(left.type, IntT) and isinstance(right.type, IntT):
            return left, right
        lift = isinstance(right.type, OptionT) and not isinstance(left.type, OptionT)
        if lift or (isinstance(left.type, MapT) and isinstance(right.type, SetT)):
            return self.coerce(node, left, right.type), right
        return left, self.coerce(node, right, left.type)

    def _pair(self, node: ast.AST, a: ast.expr, b: ast.expr) -> tuple[Expr, Expr]:
        """Return two operands of one type."""
        if self._takes_type(a) and not self._takes_type(b):
            right = self.expr(b)
            return self.expr(a, self._wanted(a, right)), right
        left = self.expr(a)
        if self._takes_type(b):
            return left, self.expr(b, self._wanted(b, left))
        return self._same(node, left, self.expr(b))

    def _takes_type(self, node: ast.expr) -> bool:
        """Tell whether the other operand says of which type this one is."""
        return self._typeless(node) or isinstance(node, ast.Set)

    def _wanted(self, node: ast.expr, other: Expr) -> Type | None:
        return (
            None if isinstance(node, ast.Set) and not isinstance(other.type, SetT) else other.type
        )

    def _typeless(self, node: ast.expr) -> bool:
        return self.is_empty_set(node) or (isinstance(node, ast.Constant) and node.value is None)

    # -- comparisons ----------------------------------------------------------------------------

    def _compare(self, node: ast.Compare, expected: Type | None) -> Expr:
        operands = [node.left, *node.comparators]
        parts = [
            self._comparison(node, a, op, b)
            for a, op, b in zip(operands, node.ops, operands[1:], strict=False)
        ]
        if len(parts) == 1:
            return parts[0]
        return ir.And(tuple(parts), type=BOOL, span=self.scope.span(node))

    def _comparison(self, node: ast.Compare, a: ast.expr, op: ast.cmpop, b: ast.expr) -> Expr:
        span = self.scope.span(node)
        if isinstance(op, ast.Is | ast.IsNot):
            return self._identity(node, a, op, b)
        if isinstance(op, ast.In | ast.NotIn):
            inside = self._membership(node, a, b)
            return inside if isinstance(op, ast.In) else ir.Not(inside, type=BOOL, span=span)
        left, right = self._pair(node, a, b)
        if isinstance(op, ast.Eq | ast.NotEq):
            if isinstance(left.type, MapT | ProcT | FamilyT):
                raise self.error(
                    node,
                    f"values of type {written(left.type)} are not compared as a whole",
                    "compare entry by entry: all(a[k] == b[k] for k in …)",
                )
            same = ir.Eq(left, right, type=BOOL, span=span)
            return same if isinstance(op, ast.Eq) else ir.Not(same, type=BOOL, span=span)
        if isinstance(op, ast.Gt | ast.GtE):
            left, right = right, left
        return self._order(node, left, right, isinstance(op, ast.Lt | ast.Gt))

    def _identity(self, node: ast.Compare, a: ast.expr, op: ast.cmpop, b: ast.expr) -> Expr:
        span = self.scope.span(node)
        if not (isinstance(b, ast.Constant) and b.value is None):
            raise self.error(
                node,
                "`is` compares identity, and values have none",
                "use `==`; `is` is for `is None` only",
            )
        option = self.expr(a)
        if isinstance(option, ir.Unwrap):
            option = option.arg  # asked again of what is known already
        if not isinstance(option.type, OptionT):
            raise self.error(
                node,
                f"a value of type {written(option.type)} is never None",
                "leave the test out, or declare it Option[…]",
            )
        none = ir.IsNone(option, type=BOOL, span=span)
        return none if isinstance(op, ast.Is) else ir.Not(none, type=BOOL, span=span)

    def _membership(self, node: ast.Compare, a: ast.expr, b: ast.expr) -> Expr:
        span = self.scope.span(node)
        element = self.expr(a)
        where = self._container_of(element, b)
        assert isinstance(where.type, SetT | SeqT)
        if isinstance(element.type, OptionT) and element.type.inner == where.type.elem:
            raise self.error(
                a,
                "this may be None, and None is not an element",
                "test it first: `x is not None and x in …`",
            )
        return ir.In(self.coerce(a, element, where.type.elem), where, type=BOOL, span=span)

    def _container_of(self, element: Expr, node: ast.expr) -> Expr:
        """Return what `in` asks; a display of integers has room for the one that is looked for."""
        if isinstance(node, ast.Set) and isinstance(element.type, IntT):
            given = self.expr(node)
            assert isinstance(given.type, SetT)
            if isinstance(given.type.elem, IntT):
                return self.expr(node, SetT(join_ints(given.type.elem, element.type)))
        return self.container(node)

    def container(self, node: ast.expr) -> Expr:
        """Return what `in` and `len` ask: a set, a map's keys, a sort, or a sequence."""
        raise NotImplementedError

    def _order(self, node: ast.AST, left: Expr, right: Expr, strict: bool) -> Expr:
        span = self.scope.span(node)
        if isinstance(left.type, SetT):
            return ir.Subset(left, right, strict, type=BOOL, span=span)
        if isinstance(left.type, OptionT):
            raise self.error(
                node,
                "an option has no order: None is not before or after anything",
                "test it first: `x is not None and …`",
            )
        if isinstance(left.type, SortT) and not left.type.ordered:
            raise self.error(
                node,
                f"the sort {left.type.name} is not ordered",
                f"compare with ==, or declare class {left.type.name}(OrderedSort)",
            )
        if not isinstance(left.type, SortT | IntT):
            raise self.error(
                node,
                f"values of type {written(left.type)} have no order",
                "compare integers, sets, or elements of an OrderedSort",
            )
        return ir.Less(left, right, strict, type=BOOL, span=span)
