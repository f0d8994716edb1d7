"""Operators: `| & - ^` on sets, `+ - *` on integers."""

from __future__ import annotations

import ast

from ackproof.spec.lang import ir
from ackproof.spec.lang.ir import Expr
from ackproof.spec.lang.sets import Sets
from ackproof.spec.lang.types import IntT, MapT, SetT, SortT, Type, within, written

__all__ = ["INT_OPERATORS", "SET_OPERATORS", "Operators"]

SET_OPERATORS: dict[type[ast.operator], str] = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.Sub: "-",
    ast.BitXor: "^",
}
#: Integers are checked to stay within 62 bits, so that engines can count on machine words.
_LARGEST = 2**62
INT_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


class Operators(Sets):
    """Reads operations of two operands."""

    def _binop(self, node: ast.BinOp, expected: Type | None) -> Expr:
        left = right = None
        if isinstance(expected, SetT) and type(node.op) in SET_OPERATORS:
            left, right = self.expr(node.left, expected), self.expr(node.right, expected)
        else:
            self._refuse_elements(node)
            left, right = self._pair(node, node.left, node.right)
        for side, operand in ((node.left, left), (node.right, right)):
            if isinstance(operand.type, MapT):
                raise self.error(
                    side, "a map is not a set", "write set(…) for its keys that are not default"
                )
        if isinstance(left.type, SetT) and type(node.op) in SET_OPERATORS:
            op, span = SET_OPERATORS[type(node.op)], self.scope.span(node)
            return ir.SetOp(op, left, right, type=left.type, span=span)
        if isinstance(left.type, IntT) and type(node.op) in INT_OPERATORS:
            return self.arith(INT_OPERATORS[type(node.op)], left, right, node)
        raise self.error(
            node,
            f"this operator is not defined on {written(left.type)}",
            "use + - * on integers, | & - ^ on sets",
        )

    def _refuse_elements(self, node: ast.BinOp) -> None:
        """Refuse arithmetic on elements of a sort, which are numbers only in Python."""
        for side in (node.left, node.right):
            if type(node.op) in INT_OPERATORS and not self._typeless(side):
                t = self.expr(side).type
                if isinstance(t, SortT):
                    raise self.error(
                        node,
                        f"the elements of {t.name} are not numbers",
                        f"write {t.name}.succ(x) for the next element",
                    )

    def arith(self, op: str, left: Expr, right: Expr, node: ast.AST) -> Expr:
        """Return an integer operation with the range of its results."""
        assert isinstance(left.type, IntT)
        assert isinstance(right.type, IntT)
        a, b = left.type, right.type
        ends = {
            "+": [a.lo + b.lo, a.hi + b.hi],
            "-": [a.lo - b.hi, a.hi - b.lo],
            "*": [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)],
            "min": [min(a.lo, b.lo), min(a.hi, b.hi)],
            "max": [max(a.lo, b.lo), max(a.hi, b.hi)],
        }[op]
        t = IntT(min(ends), max(ends))
        if not within(t, IntT(-_LARGEST, _LARGEST)):
            raise self.error(
                node, f"this may be {t.lo} to {t.hi}, which is too large", "give tighter ranges"
            )
        return ir.Arith(op, left, right, type=t, span=self.scope.span(node))
