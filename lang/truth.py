"""Truth: conditions, `and`, `or`, `not`, and the choice between two values.

What is known after one part of a condition (that an option is not None) is known while the next is
read, as Python evaluates it: `x is not None and x in s`.

Two values between which something chooses, or which it compares, are brought to one type here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ackproof.lang import ir
from ackproof.lang.ir import Expr
from ackproof.lang.reader import Reader, is_none, support
from ackproof.lang.scope import known_after
from ackproof.lang.types import (
    BOOL,
    BoolT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    SeqT,
    SetT,
    Type,
    is_scalar,
    join_ints,
    written,
)

__all__ = [
    "brought_together",
    "choice",
    "condition",
    "either",
    "is_typeless",
    "read_choice",
    "read_junction",
    "read_unary",
]


def condition(reader: Reader, node: ast.expr) -> Expr:
    """Return a condition: a truth value, or whether a set, map or sequence has elements."""
    if isinstance(node, ast.BoolOp):
        return _junction(reader, node, condition)
    found = reader.expr(node)
    span = reader.span(node)
    match found.type:
        case BoolT():
            return found
        case SeqT(cap=cap):
            zero = ir.Lit(0, type=IntT(0, 0), span=span)
            length = ir.Length(found, type=IntT(0, cap), span=span)
            return ir.Less(zero, length, True, type=BOOL, span=span)
        case SetT() | MapT():
            some = support(found) if isinstance(found.type, MapT) else found
            empty = ir.SetLit((), type=some.type, span=span)
            return ir.Not(ir.Eq(some, empty, type=BOOL, span=span), type=BOOL, span=span)
        case OptionT():
            raise reader.error(
                node,
                "an option is not a truth value: its value may be falsy",
                "compare it: `x is not None`",
            )
    raise reader.error(
        node,
        f"a value of type {written(found.type)} is not a truth value",
        "compare it with something",
    )


# -- and, or, not -------------------------------------------------------------------------------


def read_junction(reader: Reader, node: ast.BoolOp) -> Expr:
    """Return `and` or `or` where its value is used, not only whether it counts as true."""
    return _junction(reader, node, _operand)


def _junction(reader: Reader, node: ast.BoolOp, read: Callable[[Reader, ast.expr], Expr]) -> Expr:
    """Return a conjunction or disjunction; each operand is read knowing those before it."""
    conjunction = isinstance(node.op, ast.And)
    args: list[Expr] = []
    facts: frozenset[str] = frozenset()
    for value in node.values:
        with reader.scope.knowing(facts):
            args.append(read(reader, value))
        facts |= known_after(args[-1], conjunction)
    make = ir.And if conjunction else ir.Or
    return make(tuple(args), type=BOOL, span=reader.span(node))


def _operand(reader: Reader, node: ast.expr) -> Expr:
    """Return an operand of `and` or `or` whose value is used: it must be a truth value."""
    found = reader.expr(node)
    if isinstance(found.type, SetT | MapT | SeqT):
        raise reader.error(
            node,
            "`and` and `or` give one of their operands, and this one is not True or False",
            "write bool(…) around it",
        )
    return found if isinstance(found.type, BoolT) else condition(reader, node)


def read_unary(reader: Reader, node: ast.UnaryOp) -> Expr:
    """Return a negation, or a negative number."""
    span = reader.span(node)
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return ir.Not(condition(reader, node.operand), type=BOOL, span=span)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n))) if type(n) is int:
            return ir.Lit(-n, type=IntT(-n, -n), span=span)
    raise reader.error(
        node,
        "this operator is outside the language",
        "use `not`, or write 0 - x for a negative number",
    )


# -- the choice between two values --------------------------------------------------------------


def read_choice(reader: Reader, node: ast.IfExp, expected: Type | None) -> Expr:
    """Return `then if cond else orelse`."""
    cond = condition(reader, node.test)
    return choice(reader, node, cond, node.body, node.orelse, expected)


def choice(
    reader: Reader,
    node: ast.AST,
    cond: Expr,
    then: ast.expr,
    orelse: ast.expr,
    expected: Type | None = None,
) -> Expr:
    """Return `then` if `cond` else `orelse`, each read knowing how `cond` came out."""
    knowing = reader.scope.knowing
    facts = known_after(cond, True), known_after(cond, False)
    if expected is None and is_typeless(reader, then):
        with knowing(facts[1]):
            expected = _type_beside(reader, orelse)
    if expected is None and is_typeless(reader, orelse):
        with knowing(facts[0]):
            expected = _type_beside(reader, then)
    with knowing(facts[0]):
        yes = reader.expr(then, expected)
    with knowing(facts[1]):
        no = reader.expr(orelse, expected)
    return either(reader, node, cond, yes, no)


def _type_beside(reader: Reader, node: ast.expr) -> Type | None:
    """Return the type that None or `set()` has beside this node."""
    if is_typeless(reader, node):
        return None
    found = reader.expr(node).type
    if isinstance(found, OptionT | SetT):
        return found
    return OptionT(found) if is_scalar(found) else None


def is_typeless(reader: Reader, node: ast.expr) -> bool:
    """Tell whether a node has no type of its own: None, or `set()`."""
    return reader.is_empty_set(node) or is_none(node)


def either(reader: Reader, node: ast.AST, cond: Expr, yes: Expr, no: Expr) -> Expr:
    """Return the choice between two values, brought to one type."""
    yes, no = brought_together(reader, node, yes, no)
    t = yes.type
    if isinstance(t, MapT | SeqT | ProcT | FamilyT):
        raise reader.error(
            node,
            f"values of type {written(t)} are not chosen as a whole",
            "choose between their entries, or between sets of their keys",
        )
    if isinstance(t, IntT) and isinstance(no.type, IntT):
        t = join_ints(t, no.type)
    return ir.Ite(cond, yes, no, type=t, span=reader.span(node))


def brought_together(reader: Reader, node: ast.AST, left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Return two expressions of one type: one is lifted to an option where the other is one."""
    if isinstance(left.type, IntT) and isinstance(right.type, IntT):
        return left, right
    lift = isinstance(right.type, OptionT) and not isinstance(left.type, OptionT)
    if lift or (isinstance(left.type, MapT) and isinstance(right.type, SetT)):
        return reader.coerce(node, left, right.type), right
    return left, reader.coerce(node, right, left.type)
