"""Inlining: a call is replaced by what the method comes to.

A specification has many small helpers and steps, so that a reader sees what a step means.  A
program that takes a million steps pays for each call.

A helper that is one expression goes where it is called, if that computes nothing more often; a step
that returns nothing goes there with its local names.  Both go on `self`, which is the process that
they were called on: the methods of a system say in the end all that is done.  Where a step is
long, its call stays.

Expressions of the language are pure, and a process is the same for as long as a step takes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ackproof.lang.process import Process
from ackproof.model.native.classes import Layout, Variable
from ackproof.model.native.trees import Transformer, copied, walk

__all__ = ["Method", "MethodKey", "all_names", "inline", "size_of"]

#: A method or variable: its class, and its name.
MethodKey = tuple[type[Process], str]

#: Nodes of an expression, and statements of a step, that go where they are called from.
_MOST_NODES = 80
_MOST_STATEMENTS = 20


@dataclass
class Method:
    """One definition of a method, on its way to what is left of it.

    Attributes:
        tree: the definition.
        names: what its global names mean.
    """

    tree: ast.FunctionDef
    names: Mapping[str, Any]

    @property
    def params(self) -> list[str]:
        """The names of its parameters, without `self`."""
        return [arg.arg for arg in self.tree.args.args[1:]]


def inline(methods: Mapping[MethodKey, Method], layout: Layout) -> None:
    """Put the methods of a system where they are called, those that are called by others first."""
    done: set[MethodKey] = set()
    for key in methods:
        _inline(key, methods, layout, done)


def _inline(
    key: MethodKey, methods: Mapping[MethodKey, Method], layout: Layout, done: set[MethodKey]
) -> None:
    if key in done:
        return
    done.add(key)  # a method that comes back to itself is called and not put anywhere
    for callee in _callees(methods[key], key[0], methods, layout):
        _inline(callee, methods, layout, done)
    calls = _Calls(key, methods, layout)
    method = methods[key]
    method.tree = calls.visit(method.tree)
    method.names = {**calls.names, **method.names}


def _callees(
    method: Method, cls: type[Process], methods: Mapping[MethodKey, Method], layout: Layout
) -> Iterator[MethodKey]:
    for node in walk(method.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = layout.place(node.func.value, cls)
            if isinstance(owner, type) and (owner, node.func.attr) in methods:
                yield owner, node.func.attr


# -- calls ----------------------------------------------------------------------------------------


class _Calls(Transformer):
    """Replaces the calls in one method.

    Attributes:
        names: what the global names mean that came with what was put here.
    """

    def __init__(
        self, caller: MethodKey, methods: Mapping[MethodKey, Method], layout: Layout
    ) -> None:
        self._cls = caller[0]
        self._caller = caller
        self._methods = methods
        self._layout = layout
        self._here = methods[caller]
        self._used = all_names(self._here.tree)
        self.names: dict[str, Any] = {}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A helper that is one expression goes where it is called."""
        self.generic_visit(node)
        found = self._callee(node)
        if found is None:
            return node
        target, callee = found
        match callee.tree.body:
            case [ast.Return(value=ast.expr() as value)] if size_of(value) <= _MOST_NODES:
                args = dict(zip(callee.params, node.args, strict=True))
                if all(self._fits(name, arg, value) for name, arg in args.items()):
                    here: ast.expr = self._put(value, callee, target, args)
                    return here
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        """A step that returns nothing goes where it is called, with its local names."""
        self.generic_visit(node)
        found = self._callee(node.value) if isinstance(node.value, ast.Call) else None
        if found is None or not isinstance(node.value, ast.Call):
            return node
        target, callee = found
        body = callee.tree.body
        statements = [n for stmt in body for n in walk(stmt) if isinstance(n, ast.stmt)]
        if len(statements) > _MOST_STATEMENTS or any(isinstance(s, ast.Return) for s in statements):
            return node
        before: list[ast.stmt] = []
        args: dict[str, ast.expr] = {}
        stored = _stored(ast.Module(body, []))
        for name, arg in zip(callee.params, node.value.args, strict=True):
            if self._is_simple(arg) and name not in stored:
                args[name] = arg
            else:
                fresh = self._fresh(name)
                before.append(ast.Assign([ast.Name(fresh, ast.Store())], arg, lineno=0))
                args[name] = ast.Name(fresh, ast.Load())
        left = self._put(ast.Module(body, []), callee, target, args).body
        return [*before, *(s for s in left if not isinstance(s, ast.Pass))] or ast.Pass()

    def _callee(self, node: ast.Call) -> tuple[ast.expr, Method] | None:
        """Return the process that a method is called on and the method, if it can be put here."""
        if not isinstance(node.func, ast.Attribute) or node.keywords:
            return None
        target = node.func.value
        owner = self._layout.place(target, self._cls)
        if not isinstance(owner, type) or (owner, node.func.attr) == self._caller:
            return None
        callee = self._methods.get((owner, node.func.attr))
        if callee is None:
            return None
        if len(callee.params) != len(node.args) or callee.tree.args.defaults:
            return None
        if any(isinstance(n, ast.Assert) for n in walk(callee.tree)):
            return None  # what failed is named by the method in which it stands
        return (target, callee) if self._means_the_same(callee) else None

    def _means_the_same(self, callee: Method) -> bool:
        """Tell whether the global names of a method can mean here what they mean there."""
        known = {**self._here.names, **self.names}
        theirs = all_names(callee.tree) & callee.names.keys()
        return all(known.get(name, callee.names[name]) is callee.names[name] for name in theirs)

    def _fits(self, name: str, arg: ast.expr, value: ast.expr) -> bool:
        """Tell whether an argument is computed no more often in the place of the parameter."""
        return self._is_simple(arg) or _times(name, value) <= 1

    def _is_simple(self, node: ast.expr) -> bool:
        """Tell whether an expression costs next to nothing, and is the same throughout a step."""
        match node:
            case ast.Constant() | ast.Name():
                return True
            case ast.Attribute(value=ast.Name(id=name)) if name != "self":
                return True
            case ast.Attribute():
                variable = self._layout.place(node, self._cls)
                return isinstance(variable, Variable) and (variable.const or variable.key)
        return False

    def _put(self, what: Any, callee: Method, target: ast.expr, args: dict[str, ast.expr]) -> Any:
        """Return a copy of some code of a method, as it reads here."""
        renamed = {name: ast.Name(self._fresh(name), ast.Load()) for name in sorted(_stored(what))}
        theirs = all_names(callee.tree) & callee.names.keys()
        self.names.update({name: callee.names[name] for name in theirs})
        self._used |= all_names(callee.tree) & theirs
        return _Put({"self": target, **args, **renamed}).visit(copied(what))

    def _fresh(self, name: str) -> str:
        """Return a name that stands for nothing else here, the same if it can be."""
        fresh, number = name, 1
        while fresh in self._used:
            fresh, number = f"{name}_{number}", number + 1
        self._used.add(fresh)
        return fresh


@dataclass
class _Put(Transformer):
    """Puts expressions in the places of names; a name that is assigned to becomes another name."""

    values: Mapping[str, ast.expr]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name."""
        found = self.values.get(node.id)
        if found is None:
            return node
        if isinstance(node.ctx, ast.Load):
            return copied(found)
        assert isinstance(found, ast.Name)
        return ast.Name(found.id, node.ctx)


def all_names(node: ast.AST) -> set[str]:
    """Return the names that are read, assigned to or given as parameters somewhere."""
    names = {n.id for n in walk(node) if isinstance(n, ast.Name)}
    return names | {n.arg for n in walk(node) if isinstance(n, ast.arg)}


def _stored(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def size_of(node: ast.AST) -> int:
    """Return how many nodes there are in a syntax tree."""
    return sum(1 for _ in walk(node))


def _times(name: str, node: ast.AST) -> int:
    """Return how often a name is read: twice, if that is in what a comprehension does each time."""
    if isinstance(node, ast.Name):
        return int(node.id == name)
    if isinstance(node, ast.SetComp | ast.ListComp | ast.GeneratorExp):
        first = node.generators[0].iter
        inside = sum(_times(name, one) for one in walk(node) if isinstance(one, ast.Name))
        once = _times(name, first)
        return once + 2 * (inside - once)
    return sum(_times(name, child) for child in ast.iter_child_nodes(node))
