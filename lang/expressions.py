"""Expressions: the table from each kind of `ast` node to its rule.

A new kind of expression is a rule in the module where it belongs, and one line here.
"""

from __future__ import annotations

import ast

from ackproof.lang.access import read_attribute, read_constant, read_name, read_subscript
from ackproof.lang.calls import read_call
from ackproof.lang.ir import Expr
from ackproof.lang.operators import read_comparison, read_operation
from ackproof.lang.reader import Reader
from ackproof.lang.scope import Scope
from ackproof.lang.sets import read_comprehension, read_display
from ackproof.lang.truth import read_choice, read_junction, read_unary
from ackproof.lang.types import Type

__all__ = ["reader_of"]

#: What is not in the language, with what to write instead.
_REJECTED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda is outside the language", "write a @helper function"),
    ast.Dict: (
        "a dict display is outside the language",
        "declare a Map on a process; its keys start with the default",
    ),
    ast.DictComp: (
        "a dict comprehension is outside the language",
        "assign to the entries in a `for` loop",
    ),
    ast.List: (
        "a list is outside the language",
        "use a set, or a bounded Seq declared as state",
    ),
    ast.ListComp: (
        "a list comprehension is outside the language",
        "use a set comprehension: {x for x in …}",
    ),
    ast.GeneratorExp: (
        "a generator is not a set: it is used up by whoever reads it first",
        "write a set comprehension, {x for x in …}; all, any, min, max and set take generators",
    ),
    ast.Tuple: ("a tuple is outside the language", "declare a Record with named fields"),
    ast.JoinedStr: ("text is outside the language", "use the members of an Enum"),
    ast.Yield: ("yield is outside the language", "write one action for each step"),
    ast.YieldFrom: ("yield is outside the language", "write one action for each step"),
    ast.NamedExpr: (
        "an assignment inside an expression is outside the language",
        "assign to a local in a statement of its own",
    ),
    ast.Starred: ("`*` is outside the language", "pass the arguments one by one"),
}


def reader_of(scope: Scope) -> Reader:
    """Return a reader of this language in a scope."""
    return Reader(scope, _read)


def _read(reader: Reader, node: ast.expr, expected: Type | None) -> Expr:
    match node:
        case ast.Constant():
            return read_constant(reader, node)
        case ast.Name():
            return read_name(reader, node)
        case ast.Attribute():
            return read_attribute(reader, node)
        case ast.Subscript():
            return read_subscript(reader, node)
        case ast.BoolOp():
            return read_junction(reader, node)
        case ast.UnaryOp():
            return read_unary(reader, node)
        case ast.IfExp():
            return read_choice(reader, node, expected)
        case ast.Compare():
            return read_comparison(reader, node)
        case ast.BinOp():
            return read_operation(reader, node, expected)
        case ast.Set():
            return read_display(reader, node, expected)
        case ast.SetComp():
            return read_comprehension(reader, node, expected)
        case ast.Call():
            return read_call(reader, node, expected)
    raise reader.error(node, *_REJECTED.get(type(node), _unknown(node)))


def _unknown(node: ast.expr) -> tuple[str, str]:
    return (
        f"`{ast.unparse(node)}` is outside the language",
        "see the list of expressions in the language reference",
    )
