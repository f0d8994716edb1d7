"""Entries of maps: what a step says of one, without making it.

A map of the language is total: an entry that nobody has written is the default, and is made when it
is asked for.  A step often asks for no more than whether there is anything in it, or takes
something away that was not there.  That a map can answer by itself:

- `if self.owed[msg]` is `if msg in self.owed`, since an entry is there while it is not empty;
- `self.owed[msg].discard(queue)` is done if `msg in self.owed`, and so is all that only takes away;
- `self.level[msg] = Level.ABSENT`, the default, is `self.level.pop(msg, None)`;
- `self.owed[msg] = set(queues)` is `self.owed[msg] = queues`, since a map keeps a copy.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, get_args, get_origin

from ackproof.lang.process import Process
from ackproof.lang.values import Map
from ackproof.model.native.classes import CHANGES, Layout, Variable
from ackproof.model.native.trees import Transformer, copied, walk

__all__ = ["with_plain_entries"]


def with_plain_entries(
    tree: ast.FunctionDef, names: Mapping[str, Any], cls: type[Process], layout: Layout
) -> ast.FunctionDef:
    """Return a method that makes no entry of a map to say what the map says by itself.

    Args:
        tree: the method, with processes as they are declared; is changed, too.
        names: what its global names mean.
        cls: the class on which it runs.
        layout: of the system.
    """
    _Entries(names, cls, layout).visit(tree)
    return tree


@dataclass
class _Entries(Transformer):
    names: Mapping[str, Any]
    cls: type[Process]
    layout: Layout

    # -- statements -------------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """What takes something from an entry is done if that is there."""
        match node.value:
            case ast.Call(func=ast.Name(id="require"), args=[cond]):
                node.value.args = [self._asked(cond)]
                return node
            case ast.Call(func=ast.Attribute(value=ast.Subscript() as entry, attr=name)):
                self.generic_visit(node)
                taken = node.value.args
                if CHANGES.get(name) == "less" and self._is_of_sets(entry) and _are_there(taken):
                    return ast.If(_is_there(entry), [node], [])
                return node
        self.generic_visit(node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """Nothing is subtracted from an entry that is not there."""
        self.generic_visit(node)
        less = isinstance(node.op, ast.Sub | ast.BitAnd)
        if not less or not _are_there([node.value]):
            return node
        if isinstance(node.target, ast.Subscript) and self._is_of_sets(node.target):
            return ast.If(_is_there(node.target), [node], [])
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """An entry that is to be the default goes; one that is to be a set is a copy anyway."""
        self.generic_visit(node)
        match node:
            case ast.Assign(targets=[ast.Subscript() as entry], value=value):
                variable = self._entry(entry)
                if variable is None:
                    return node
                if self._says(value, variable.first):
                    gone = ast.Attribute(entry.value, "pop", ast.Load())
                    return ast.Expr(ast.Call(gone, [entry.slice, ast.Constant(None)], []))
                match value:
                    case ast.Call(func=ast.Name(id="set"), args=[items]) if _holds_sets(variable):
                        if not isinstance(items, ast.GeneratorExp):  # it does not know its end
                            node.value = items
        return node

    def visit_If(self, node: ast.If) -> ast.stmt:
        """Ask a map, and not an entry."""
        node.test = self._asked(node.test)
        node.body = [self.visit(stmt) for stmt in node.body]
        node.orelse = [self.visit(stmt) for stmt in node.orelse]
        return node

    # -- expressions ------------------------------------------------------------------------------

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Ask a map, and not an entry."""
        node.test = self._asked(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Ask a map, and not an entry."""
        if not isinstance(node.op, ast.Not):
            self.generic_visit(node)
            return node
        node.operand = self._asked(node.operand)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """Ask a map, and not an entry."""
        node.iter = self.visit(node.iter)
        node.ifs = [self._asked(cond) for cond in node.ifs]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`bool` asks, too."""
        match node:
            case ast.Call(func=ast.Name(id="bool"), args=[ast.Subscript() as entry]):
                if self._is_of_sets(entry):
                    return _is_there(entry)
        self.generic_visit(node)
        return node

    def _asked(self, cond: ast.expr) -> ast.expr:
        """Return a condition of which only the truth is asked."""
        match cond:
            case ast.BoolOp():
                cond.values = [self._asked(value) for value in cond.values]
                return cond
            case ast.Subscript() if self._is_of_sets(cond):
                return _is_there(cond)
        found: ast.expr = self.visit(cond)
        return found

    # -- entries ----------------------------------------------------------------------------------

    def _entry(self, node: ast.Subscript) -> Variable | None:
        """Return of which variable something is an entry, if that is a map of a process."""
        whole = self.layout.place(node.value, self.cls)
        if not isinstance(whole, Variable) or whole.entry or get_origin(whole.hint) is not Map:
            return None
        entry = self.layout.place(node, self.cls)
        return entry if isinstance(entry, Variable) else None

    def _is_of_sets(self, node: ast.Subscript) -> bool:
        variable = self._entry(node)
        return variable is not None and _holds_sets(variable)

    def _says(self, value: ast.expr, first: Any) -> bool:
        """Tell whether an expression is a certain value, written down."""
        match value:
            case ast.Constant(value=known):
                return known is first or (type(known) is type(first) and known == first)
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                kind = self.names.get(name)
                return isinstance(kind, type) and issubclass(kind, Enum) and kind[member] is first
        return False


def _are_there(values: list[ast.expr]) -> bool:
    """Tell whether some values are there whatever happens: no step ends because one is not.

    What `max` of nothing is, say, a step has to find out, also where it changes nothing.
    """
    return not any(isinstance(n, ast.Call) for value in values for n in walk(value))


def _holds_sets(entry: Variable) -> bool:
    return get_origin(get_args(entry.hint)[1]) is set


def _is_there(entry: ast.Subscript) -> ast.expr:
    """Return the question whether a map has an entry, which it has while that is not empty."""
    return ast.Compare(copied(entry.slice), [ast.In()], [copied(entry.value)])
