"""Packing: what a program has that an instance has not, said in the cheapest way.

`Msg.owner(msg)` and `Msg.succ(msg)` are calls, and among the most frequent ones.  In a program the
elements of ordered sorts are integers without end, and what comes next is a sum; who owns one is a
shift (`ackproof.lang.sorts.OwnedSort`).  And its
families are those of `ackproof.model.native.families`, which have lists of who has a value of a
constant, and which know which of their elements an owner has: `Consumer.of(channel)`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ackproof.lang.process import Process
from ackproof.lang.sorts import NUMBER_BITS, OrderedSort, OwnedSort, Sort
from ackproof.model.native.classes import Layout
from ackproof.model.native.trees import Transformer

__all__ = ["packed"]


def packed(
    tree: ast.FunctionDef, names: Mapping[str, Any], cls: type[Process], layout: Layout
) -> ast.FunctionDef:
    """Return a method as a program runs it whose elements are integers and whose families grow.

    Args:
        tree: is changed, too.
        names: what its global names mean.
        cls: the class that it is a method of.
        layout: of the system.

    Raises:
        LookupError: it asks for all elements of an owner, and no family says which there are.
    """
    _Packing(names, cls, layout).visit(tree)
    return tree


class _Packing(Transformer):
    def __init__(self, names: Mapping[str, Any], cls: type[Process], layout: Layout) -> None:
        self._names = names
        self._cls = cls
        self._layout = layout

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="having"), args=[family, constant, value]):
                listed = ast.Attribute(family, "listed", ast.Load())
                get = ast.Attribute(ast.Subscript(listed, constant, ast.Load()), "get", ast.Load())
                return ast.Call(get, [value, ast.Tuple([], ast.Load())], [])
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=sort), attr="owner" | "succ" as asked),
                args=[element],
            ) if _is(OrderedSort, self._names.get(sort)):
                if asked == "owner":
                    return ast.BinOp(element, ast.RShift(), ast.Constant(NUMBER_BITS))
                return ast.BinOp(element, ast.Add(), ast.Constant(1))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="of"), args=[owner]) if (
                _is(OwnedSort, self._names.get(name))
            ):
                of = ast.Attribute(self._family(self._names[name]), "of", ast.Load())
                return ast.Call(ast.Name("list", ast.Load()), [ast.Call(of, [owner], [])], [])
        return node

    def _family(self, sort: type[Sort]) -> ast.expr:
        name = self._layout.family(self._cls, sort)
        if name is None:
            raise LookupError(
                f"{self._cls.__name__} asks for all of {sort.__name__} of an owner, and has no "
                "family of processes that says which there are; let it range over a set"
            )
        return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())


def _is(kind: type[Sort], found: object) -> bool:
    return isinstance(found, type) and issubclass(found, kind)
