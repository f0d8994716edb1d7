"""Packing: what a program has that an instance has not, said in the cheapest way.

`Msg.owner(msg)` and `Msg.succ(msg)` are calls, and among the most frequent ones.  In a program
whose elements are integers (`ackproof.lang.sorts.OwnedSort`) they are a shift and a sum.  And its
families are those of `ackproof.model.native.families`, which know who has a value of a constant.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ackproof.lang.sorts import NUMBER_BITS, OwnedSort

__all__ = ["packed"]


def packed(tree: ast.FunctionDef, names: Mapping[str, Any]) -> ast.FunctionDef:
    """Return a method as a program runs it whose elements are integers and whose families grow.

    Args:
        tree: is changed, too.
        names: what its global names mean.
    """
    _Packing(names).visit(tree)
    return tree


class _Packing(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = names

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="having"), args=[family, *wanted]):
                return ast.Call(ast.Attribute(family, "having", ast.Load()), wanted, [])
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=sort), attr="owner" | "succ" as asked),
                args=[element],
            ) if _is_owned(self._names.get(sort)):
                if asked == "owner":
                    return ast.BinOp(element, ast.RShift(), ast.Constant(NUMBER_BITS))
                return ast.BinOp(element, ast.Add(), ast.Constant(1))
        return node


def _is_owned(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, OwnedSort)
