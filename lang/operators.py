"""Operators: comparisons, membership, and operations of two operands.

Both operands have one type.  Where one of them is None, `set()` or a set that is written out, the
other says which; so that one is read first.
"""

from __future__ import annotations

import ast

from ackproof.lang import ir
from ackproof.lang.ir import Expr
from ackproof.lang.reader import Reader, is_none
from ackproof.lang.sets import container
from ackproof.lang.truth import brought_together, is_typeless
from ackproof.lang.types import (
    BOOL,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    SeqT,
    SetT,
    SortT,
    Type,
    join_ints,
    within,
    written,
)

__all__ = ["INT_OPERATORS", "SET_OPERATORS", "arithmetic", "read_comparison", "read_operation"]

SET_OPERATORS: dict[type[ast.operator], str] = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.Sub: "-",
    ast.BitXor: "^",
}
#: Integers are checked to stay within 62 bits, so that engines can count on machine words.
_LARGEST = 2**62
INT_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


def _pair(reader: Reader, node: ast.AST, a: ast.expr, b: ast.expr) -> tuple[Expr, Expr]:
    """Return two operands of one type."""
    if _takes_type(reader, a) and not _takes_type(reader, b):
        right = reader.expr(b)
        return reader.expr(a, _wanted(a, right)), right
    left = reader.expr(a)
    if _takes_type(reader, b):
        return left, reader.expr(b, _wanted(b, left))
    return brought_together(reader, node, left, reader.expr(b))


def _takes_type(reader: Reader, node: ast.expr) -> bool:
    """Tell whether the other operand says of which type this one is."""
    return is_typeless(reader, node) or isinstance(node, ast.Set)


def _wanted(node: ast.expr, other: Expr) -> Type | None:
    return None if isinstance(node, ast.Set) and not isinstance(other.type, SetT) else other.type


# -- comparisons --------------------------------------------------------------------------------


def read_comparison(reader: Reader, node: ast.Compare) -> Expr:
    """Return a comparison, or the conjunction of those in a chain."""
    operands = [node.left, *node.comparators]
    parts = [
        _comparison(reader, node, a, op, b)
        for a, op, b in zip(operands, node.ops, operands[1:], strict=False)
    ]
    if len(parts) == 1:
        return parts[0]
    return ir.And(tuple(parts), type=BOOL, span=reader.span(node))


def _comparison(reader: Reader, node: ast.Compare, a: ast.expr, op: ast.cmpop, b: ast.expr) -> Expr:
    match op:
        case ast.Is():
            return _is_none(reader, node, a, b)
        case ast.IsNot():
            return _negated(reader, node, _is_none(reader, node, a, b))
        case ast.In():
            return _membership(reader, node, a, b)
        case ast.NotIn():
            return _negated(reader, node, _membership(reader, node, a, b))
    left, right = _pair(reader, node, a, b)
    match op:
        case ast.Eq():
            return _equality(reader, node, left, right)
        case ast.NotEq():
            return _negated(reader, node, _equality(reader, node, left, right))
        case ast.Gt() | ast.GtE():
            left, right = right, left
    return _order(reader, node, left, right, isinstance(op, ast.Lt | ast.Gt))


def _negated(reader: Reader, node: ast.Compare, cond: Expr) -> Expr:
    return ir.Not(cond, type=BOOL, span=reader.span(node))


def _equality(reader: Reader, node: ast.Compare, left: Expr, right: Expr) -> Expr:
    if isinstance(left.type, MapT | ProcT | FamilyT):
        raise reader.error(
            node,
            f"values of type {written(left.type)} are not compared as a whole",
            "compare entry by entry: all(a[k] == b[k] for k in …)",
        )
    return ir.Eq(left, right, type=BOOL, span=reader.span(node))


def _is_none(reader: Reader, node: ast.Compare, a: ast.expr, b: ast.expr) -> Expr:
    if not is_none(b):
        raise reader.error(
            node,
            "`is` compares identity, and values have none",
            "use `==`; `is` is for `is None` only",
        )
    option = reader.expr(a)
    if isinstance(option, ir.Unwrap):
        option = option.arg  # asked again of what is known already
    if not isinstance(option.type, OptionT):
        raise reader.error(
            node,
            f"a value of type {written(option.type)} is never None",
            "leave the test out, or declare it Option[…]",
        )
    return ir.IsNone(option, type=BOOL, span=reader.span(node))


def _membership(reader: Reader, node: ast.Compare, a: ast.expr, b: ast.expr) -> Expr:
    element = reader.expr(a)
    where = _container_of(reader, element, b)
    assert isinstance(where.type, SetT | SeqT)
    if isinstance(element.type, OptionT) and element.type.inner == where.type.elem:
        raise reader.error(
            a,
            "this may be None, and None is not an element",
            "test it first: `x is not None and x in …`",
        )
    fits = reader.coerce(a, element, where.type.elem)
    return ir.In(fits, where, type=BOOL, span=reader.span(node))


def _container_of(reader: Reader, element: Expr, node: ast.expr) -> Expr:
    """Return what `in` asks; a display of integers has room for the one that is looked for."""
    if isinstance(node, ast.Set) and isinstance(element.type, IntT):
        given = reader.expr(node)
        assert isinstance(given.type, SetT)
        if isinstance(given.type.elem, IntT):
            return reader.expr(node, SetT(join_ints(given.type.elem, element.type)))
    return container(reader, node)


def _order(reader: Reader, node: ast.AST, left: Expr, right: Expr, strict: bool) -> Expr:
    """Return `left < right`, or `left <= right` when not `strict`."""
    span = reader.span(node)
    match left.type:
        case SetT():
            return ir.Subset(left, right, strict, type=BOOL, span=span)
        case OptionT():
            raise reader.error(
                node,
                "an option has no order: None is not before or after anything",
                "test it first: `x is not None and …`",
            )
        case SortT(name=name, ordered=False):
            raise reader.error(
                node,
                f"the sort {name} is not ordered",
                f"compare with ==, or declare class {name}(OrderedSort)",
            )
        case SortT() | IntT():
            return ir.Less(left, right, strict, type=BOOL, span=span)
    raise reader.error(
        node,
        f"values of type {written(left.type)} have no order",
        "compare integers, sets, or elements of an OrderedSort",
    )


# -- operations ---------------------------------------------------------------------------------


def read_operation(reader: Reader, node: ast.BinOp, expected: Type | None) -> Expr:
    """Return `| & - ^` of two sets, or `+ - *` of two integers."""
    set_operator = SET_OPERATORS.get(type(node.op))
    int_operator = INT_OPERATORS.get(type(node.op))
    if isinstance(expected, SetT) and set_operator:
        left, right = reader.expr(node.left, expected), reader.expr(node.right, expected)
    else:
        if int_operator:
            _reject_elements(reader, node)
        left, right = _pair(reader, node, node.left, node.right)
    for side, operand in ((node.left, left), (node.right, right)):
        if isinstance(operand.type, MapT):
            raise reader.error(
                side, "a map is not a set", "write set(…) for its keys that are not default"
            )
    if isinstance(left.type, SetT) and set_operator:
        return ir.SetOp(set_operator, left, right, type=left.type, span=reader.span(node))
    if isinstance(left.type, IntT) and int_operator:
        return arithmetic(reader, int_operator, left, right, node)
    raise reader.error(
        node,
        f"this operator is not defined on {written(left.type)}",
        "use + - * on integers, | & - ^ on sets",
    )


def _reject_elements(reader: Reader, node: ast.BinOp) -> None:
    """Reject arithmetic on elements of a sort, which are numbers only in Python."""
    for side in (node.left, node.right):
        if not is_typeless(reader, side):
            t = reader.expr(side).type
            if isinstance(t, SortT):
                raise reader.error(
                    node,
                    f"the elements of {t.name} are not numbers",
                    f"write {t.name}.succ(x) for the next element",
                )


def arithmetic(reader: Reader, op: str, left: Expr, right: Expr, node: ast.AST) -> Expr:
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
        raise reader.error(
            node, f"this may be {t.lo} to {t.hi}, which is too large", "give tighter ranges"
        )
    return ir.Arith(op, left, right, type=t, span=reader.span(node))
