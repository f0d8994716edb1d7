"""Walking, copying and changing Python's syntax trees, as `ast` and `copy` do it, in less time.

To translate a system, methods are folded again and again, and most of the time went to these three.
What makes them slow is generality: `copy` remembers every object that it meets, and `ast` asks each
name in a tree whether `Load` is something to be changed.  A tree has each node once, and marks such
as `Load` are the same for all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, TypeVar

__all__ = ["Transformer", "copied", "walk"]

Tree = TypeVar("Tree", bound=ast.AST)

#: Nodes without anything in them, of which no copy is needed, and which nobody changes.
_MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a tree and everything below it, level by level, as `ast.walk` does."""
    waiting = [tree]
    for node in waiting:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                waiting.append(value)
            elif isinstance(value, list):
                waiting += [item for item in value if isinstance(item, ast.AST)]
        yield node


def copied(tree: Tree) -> Tree:
    """Return a copy of a tree that can be changed independently."""
    made: Tree = tree.__class__.__new__(tree.__class__)
    into = vars(made)
    for name, value in vars(tree).items():
        into[name] = _copied(value) if isinstance(value, ast.AST | list) else value
    return made


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value if not isinstance(value, ast.AST) or isinstance(value, _MARKS) else copied(value)


class Transformer(ast.NodeTransformer):
    """A transformer as in `ast`; it is not asked about marks."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit what is below a node; put what that returns in its place, or nothing."""
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                value[:] = self._visited(value)
            elif isinstance(value, ast.AST) and not isinstance(value, _MARKS):
                found = self.visit(value)
                if found is None:
                    delattr(node, name)
                else:
                    setattr(node, name, found)
        return node

    def _visited(self, items: list[Any]) -> Iterator[Any]:
        for item in items:
            if not isinstance(item, ast.AST) or isinstance(item, _MARKS):
                yield item
                continue
            found = self.visit(item)
            if isinstance(found, ast.AST):
                yield found
            elif found is not None:
                yield from found
