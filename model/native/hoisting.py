"""Hoisting: the way to a process is gone once, where a step goes it more often.

What a step does to a queue's store it does at `self.replicas[replica].store`.  A program that takes
a million steps should not go there for each word of it.  So a method begins with a name for each
process that it comes to in any case, and for the owner of each element that it asks for; what comes
only in one branch has its name there.

A process is the same for as long as a step takes, and so is an owner.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ackproof.lang.process import Process
from ackproof.model.native.classes import Layout
from ackproof.model.native.inlining import all_names, size_of
from ackproof.model.native.trees import Transformer, copied, walk

__all__ = ["hoisted"]


def hoisted(tree: ast.FunctionDef, cls: type[Process], layout: Layout) -> ast.FunctionDef:
    """Return a method with names for the processes and owners that it asks for more than once.

    Args:
        tree: the method; is changed, too.
        cls: the class on which it runs.
        layout: of the system.
    """
    hoist = _Hoist(tree, cls, layout)
    params = {arg.arg for arg in tree.args.args}
    tree.body = hoist.block(tree.body, params - hoist.changing)
    return tree


@dataclass
class _Hoist:
    """Gives names to the processes of one method."""

    tree: ast.FunctionDef
    cls: type[Process]
    layout: Layout
    known: dict[str, type[Process]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.used = all_names(self.tree)
        stores = [
            n.id
            for n in walk(self.tree)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        ]
        inner = [c.target for n in walk(self.tree) for c in getattr(n, "generators", ())]
        params = [arg.arg for arg in self.tree.args.args]
        self.changing = {name for name in stores if (stores + params).count(name) > 1}
        self.changing |= {name for target in inner for name in all_names(target)}

    def block(self, body: list[ast.stmt], fixed: set[str]) -> list[ast.stmt]:
        """Return statements with names for what they read of processes.

        Args:
            body: the statements.
            fixed: the local names that have their value by now, and keep it.
        """
        fixed = set(fixed)
        left: list[ast.stmt] = []
        rest = list(body)
        while rest:
            same = self._same(rest[0], fixed)
            if same is not None:
                name, other = same
                rest = [_replaced(stmt, ast.Name(name, ast.Load()), other) for stmt in rest[1:]]
                continue
            given = self._given(rest[0], fixed)
            if given is not None and self._count(given[1], rest) > 1:
                name, path = given
                rest[1:] = [_replaced(stmt, path, name) for stmt in rest[1:]]
            for path in self._paths(rest[0]):
                if _locals_of(path) <= fixed and self._count(path, rest) > 1:
                    name = self._name(path)
                    rest = [_replaced(stmt, path, name) for stmt in rest]
                    left.append(ast.Assign([ast.Name(name, ast.Store())], path, lineno=0))
                    fixed.add(name)
                    break
            else:
                left.append(self._nested(rest.pop(0), fixed))
        return left

    def _nested(self, stmt: ast.stmt, fixed: set[str]) -> ast.stmt:
        match stmt:
            case ast.If():
                stmt.body = self.block(stmt.body, fixed)
                stmt.orelse = self.block(stmt.orelse, fixed)
            case ast.For(target=ast.Name(id=name)):
                stmt.body = self.block(stmt.body, fixed | ({name} - self.changing))
            case ast.Assign(targets=[ast.Name(id=name)]):
                fixed |= {name} - self.changing
        return stmt

    def _same(self, stmt: ast.stmt, fixed: set[str]) -> tuple[str, str] | None:
        """Return a local name and another one for the same, if a statement says no more."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
                if other in fixed and name not in self.changing:
                    return name, other
        return None

    def _given(self, stmt: ast.stmt, fixed: set[str]) -> tuple[str, ast.expr] | None:
        """Return a local name, and the process or owner that a statement gives it to."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=path):
                known = self._is_process(path) or _is_owner(path)
                if known and name not in self.changing and _locals_of(path) <= fixed:
                    return name, path
        return None

    def _paths(self, stmt: ast.stmt) -> list[ast.expr]:
        """Return the processes and owners that a statement asks for in any case, shortest first."""
        found = [n for n in _unconditional(stmt) if self._is_process(n) or _is_owner(n)]
        return sorted(found, key=size_of)

    def _is_process(self, node: ast.expr) -> bool:
        is_path = isinstance(node, ast.Attribute | ast.Subscript)
        return is_path and isinstance(self._place(node), type)

    def _place(self, node: ast.expr) -> Any:
        return self.layout.place(node, self.cls, self.known)

    def _count(self, path: ast.expr, rest: Iterable[ast.stmt]) -> int:
        text = ast.dump(path)
        same = (n for stmt in rest for n in walk(stmt) if isinstance(n, type(path)))
        return sum(ast.dump(n) == text for n in same)

    def _name(self, path: ast.expr) -> str:
        """Return a name for what is at a path: that of its class."""
        place = self._place(path)
        name = _in_words(place.__name__) if isinstance(place, type) else "owner"
        fresh, number = name, 1
        while fresh in self.used:
            fresh, number = f"{name}_{number}", number + 1
        self.used.add(fresh)
        if isinstance(place, type):
            self.known[fresh] = place
        return fresh


def _in_words(name: str) -> str:
    """Return the name of a class as one of a variable."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _is_owner(node: ast.expr) -> bool:
    """Tell whether an expression asks to whom an element belongs."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="owner"), args=[ast.Name()]):
            return True
    return False


def _locals_of(path: ast.expr) -> set[str]:
    """Return the local names that a path goes by."""
    return all_names(path.args[0] if isinstance(path, ast.Call) else path)


def _unconditional(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that are evaluated whenever a statement or an expression is run."""
    if isinstance(node, ast.expr):
        yield node
    match node:
        case ast.If(test=first) | ast.IfExp(test=first):
            inner: list[ast.AST] = [first]
        case ast.For(iter=first, body=body):  # a loop is mostly there to be run
            inner = [first, *body]
        case ast.BoolOp(values=[first, *_]):
            inner = [first]
        case ast.Compare(left=left, comparators=[right, *_]):
            inner = [left, right]
        case ast.SetComp(generators=[one, *_]) | ast.GeneratorExp(generators=[one, *_]):
            inner = [one.iter]
        case ast.ListComp(generators=[one, *_]):
            inner = [one.iter]
        case ast.Assert(test=test):
            inner = [test]
        case _:
            inner = list(ast.iter_child_nodes(node))
    for child in inner:
        yield from _unconditional(child)


def _replaced(stmt: ast.stmt, path: ast.expr, name: str) -> ast.stmt:
    """Return a statement with a name wherever it has a path."""
    text = ast.dump(path)

    class Replace(Transformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, type(path)) and ast.dump(node) == text:
                return ast.Name(name, ast.Load())
            return super().generic_visit(node)

    found: ast.stmt = Replace().visit(copied(stmt))
    return found
