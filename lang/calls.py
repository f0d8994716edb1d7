"""Calls in expressions: built-in functions, records and events, functions of sorts, helpers.

Built-in functions have a table, from the Python function itself to its rule: a name means what
Python says it means where it stands.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable

from ackproof.lang import ir
from ackproof.lang.declare import type_of_class
from ackproof.lang.helpers import call_helper, read_helper_call
from ackproof.lang.ir import Expr, Span
from ackproof.lang.operators import arithmetic
from ackproof.lang.ordered import least
from ackproof.lang.parameters import arguments, only_argument
from ackproof.lang.process import mark_of, require
from ackproof.lang.reader import Reader, is_none
from ackproof.lang.sets import container, members, quantified
from ackproof.lang.sorts import Sort
from ackproof.lang.truth import condition
from ackproof.lang.types import (
    BOOL,
    UNBOUNDED,
    IntT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
    written,
)
from ackproof.lang.values import Record

__all__ = ["read_call"]


def read_call(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    """Return the value of a call."""
    found = reader.scope.static(node.func)
    for function, rule in _BUILT_IN:
        if found is function:
            return rule(reader, node, expected)
    if isinstance(found, type) and issubclass(found, Record):
        return _record(reader, node, found)
    mark = mark_of(found)
    if mark is not None and mark.kind == "helper" and callable(found):
        return call_helper(reader, node, found)
    if found is require:
        raise reader.error(
            node, "require is a statement, not a value", "write it on a line of its own"
        )
    if isinstance(node.func, ast.Attribute):
        outer = reader.scope.static(node.func.value)
        if isinstance(outer, type) and issubclass(outer, Sort):
            return _sort_function(reader, node, node.func.attr, outer)
        if not inspect.ismodule(outer):
            return read_helper_call(reader, node, node.func)
    elif not isinstance(node.func, ast.Name):
        raise reader.error(node, "only names and methods can be called", "call a helper by name")
    raise reader.error(
        node,
        f"`{ast.unparse(node.func)}` is not known to the language",
        "write it as a function decorated @helper, or use a built-in: "
        "set, len, min, max, least, all, any, sorted, bool",
    )


# -- built-in functions -------------------------------------------------------------------------


def _copy(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    if not node.args:
        raise reader.error(
            node,
            "nothing says of which type this empty set is",
            "use it where a set is expected, or compare with `not s`",
        )
    return members(reader, only_argument(reader, node), expected)


def _sorted(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    raise reader.error(
        node,
        "`sorted` gives an order, and sets have none",
        "use it as the range of a `for` loop that emits; elsewhere leave it out",
    )


def _length(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    value = container(reader, only_argument(reader, node))
    span = reader.span(node)
    if isinstance(value.type, SeqT):
        return ir.Length(value, type=IntT(0, value.type.cap), span=span)
    return ir.Card(value, type=IntT(0, UNBOUNDED), span=span)


def _all(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    return quantified(reader, node, only_argument(reader, node), universal=True)


def _any(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    return quantified(reader, node, only_argument(reader, node), universal=False)


def _bool(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    return condition(reader, only_argument(reader, node))


def _min(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    return _extreme(reader, node, "min")


def _max(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    return _extreme(reader, node, "max")


def _least(reader: Reader, node: ast.Call, expected: Type | None) -> Expr:
    return _extreme_of_set(reader, node, only_argument(reader, node), "min", optional=True)


def _extreme(reader: Reader, node: ast.Call, op: str) -> Expr:
    keywords = {k.arg: k.value for k in node.keywords}
    if len(node.args) == 2 and not keywords:
        return _extreme_of_two(reader, node, op)
    if len(node.args) != 1 or set(keywords) - {"default"}:
        raise reader.error(
            node,
            f"{op} takes a set, and default=None if it may be empty",
            f"write {op}(s) or {op}(s, default=None)",
        )
    default = keywords.get("default")
    if default is not None and not is_none(default):
        raise reader.error(
            default,
            f"the default of {op} can only be None",
            "take the option and test it: `x is None`",
        )
    return _extreme_of_set(reader, node, node.args[0], op, default is not None)


def _extreme_of_set(
    reader: Reader, node: ast.Call, items: ast.expr, op: str, optional: bool
) -> Expr:
    values = members(reader, items)
    assert isinstance(values.type, SetT)
    elem = values.type.elem
    if not isinstance(elem, IntT) and not (isinstance(elem, SortT) and elem.ordered):
        raise reader.error(
            node,
            f"{op} needs an order, and {written(elem)} has none",
            "use an OrderedSort or integers",
        )
    t: Type = OptionT(elem) if optional else elem
    return ir.Extreme(op, values, optional, type=t, span=reader.span(node))


def _extreme_of_two(reader: Reader, node: ast.Call, op: str) -> Expr:
    left, right = (reader.expr(a) for a in node.args)
    if isinstance(left.type, IntT) and isinstance(right.type, IntT):
        return arithmetic(reader, op, left, right, node)
    raise reader.error(
        node,
        f"{op} of two values is for integers",
        f"write {op}({{a, b}}) for elements of an ordered sort",
    )


#: Built-in functions with their rules.  They are compared one by one: not all that a name may mean
#: can be hashed.
_BUILT_IN: tuple[tuple[object, Callable[[Reader, ast.Call, Type | None], Expr]], ...] = (
    (set, _copy),
    (len, _length),
    (min, _min),
    (max, _max),
    (least, _least),
    (all, _all),
    (any, _any),
    (sorted, _sorted),
    (bool, _bool),
)


# -- records ------------------------------------------------------------------------------------


def _record(reader: Reader, node: ast.Call, cls: type[Record]) -> Expr:
    """Return a record or event built by a call of its class."""
    t = type_of_class(cls)
    assert isinstance(t, RecordT)
    args = tuple(arguments(reader, node, list(t.fields), cls.__name__, "fields"))
    return ir.MakeRecord(args, type=t, span=reader.span(node))


# -- functions of sorts -------------------------------------------------------------------------


def _sort_function(reader: Reader, node: ast.Call, function: str, cls: type[Sort]) -> Expr:
    """Return the first element of a sort, the one after another, the owner of one."""
    t, span = type_of_class(cls), reader.span(node)
    assert isinstance(t, SortT)
    name = cls.__name__
    if function not in {"first", "succ", "owner", "of"}:
        raise reader.error(
            node,
            f"{name} has no function `{function}`",
            f"use {name}.first() or {name}.succ(x)",
        )
    if t.owner is not None:
        return _owned_sort_function(reader, node, function, t, t.owner)
    if function in {"owner", "of"}:
        raise reader.error(
            node,
            f"elements of {name} have no owner",
            f"declare class {name}(OwnedSort[…]) to have owner and of",
        )
    if not t.ordered:
        raise reader.error(
            node,
            f"the sort {t.name} is not ordered",
            f"declare class {t.name}(OrderedSort) to have first and succ",
        )
    if function == "succ":
        given = reader.expr(only_argument(reader, node), t)
        return ir.Succ(given, type=OptionT(t), span=span)
    if node.args or node.keywords:
        raise reader.error(node, "first takes no argument", f"write {name}.first()")
    return ir.First(type=t, span=span)


def _owned_sort_function(
    reader: Reader, node: ast.Call, function: str, t: SortT, owner: SortT
) -> Expr:
    """Return the owner of an element or the next one, or all or the first of an owner."""
    span = reader.span(node)
    if function == "first" and not node.args:
        raise reader.error(
            node,
            f"{t.name}.first() does not say which {owner.name} it is the first of",
            f"name the owner: {t.name}.first(x)",
        )
    argument = only_argument(reader, node)
    match function:
        case "succ":
            return ir.Succ(reader.expr(argument, t), type=OptionT(t), span=span)
        case "owner":
            return ir.Owner(reader.expr(argument, t), type=owner, span=span)
        case "first":
            return ir.First(reader.expr(argument, owner), type=t, span=span)
    return _elements_of(reader, reader.expr(argument, owner), t, owner, span)


def _elements_of(reader: Reader, given: Expr, t: SortT, owner: SortT, span: Span) -> Expr:
    """Return the set of the elements whose owner is given; that is asked for once."""
    simple = isinstance(given, ir.Var)
    one = given if simple else ir.Var(reader.scope.fresh("owner"), type=owner, span=span)
    element = ir.Var(reader.scope.fresh("element"), type=t, span=span)
    binder = ir.Binder(element.name, ir.Universe(type=SetT(t), span=span))
    same = ir.Eq(ir.Owner(element, type=owner), one, type=BOOL, span=span)
    found = ir.Comprehension(element, (binder,), same, type=SetT(t), span=span)
    if simple:
        return found
    assert isinstance(one, ir.Var)
    return ir.Let(one.name, given, found, type=SetT(t), span=span)
