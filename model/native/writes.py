"""Writes: which variables a method of a translated system gives values, by which keys, and how.

A method of the system writes by itself, and by calling methods of other processes, whose arguments
are known as the caller writes them.  A method of a class that the program has put in the place of
another may write anything that the class declares.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ackproof.lang.process import Process, mark_of
from ackproof.model.native.classes import CHANGES, Family, Layout, Variable, declarations
from ackproof.model.native.inlining import Method, MethodKey
from ackproof.model.native.trees import walk
from ackproof.model.native.triggers import Change

__all__ = ["Write", "Writes", "is_plain", "writes_once"]

_ANY = Change("any")

#: Those of `CHANGES` of which the argument is the element that is put in or taken out.
_OF_ONE = {"add", "append", "discard", "remove"}


class Write(NamedTuple):
    """One write to the state.

    Attributes:
        path: leads to the variable, by names.
        keys: on the way to it; None for those that are not known.
        change: what is done to it.
        elem: what is added or taken away, if it is one element.
        owner: to whom the elements belong, if it is one.
    """

    path: tuple[str, ...]
    keys: tuple[ast.expr | None, ...]
    change: Change
    elem: ast.expr | None = None
    owner: ast.expr | None = None


@dataclass
class Writes:
    """What statements write, and the methods that they call."""

    methods: Mapping[MethodKey, Method]
    layout: Layout

    def of(self, stmt: ast.stmt, cls: type[Process], method: Method) -> Iterator[Write]:
        """Yield the writes of a statement by itself, and of what it calls on other processes."""
        match stmt:
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
                yield from self._at(target, cls, _assigned(value, method))
            case ast.AugAssign(target=target, op=op, value=value):
                kinds = {ast.BitOr: "more", ast.Sub: "less", ast.BitAnd: "less"}
                change = Change(kinds.get(type(op), "any"))
                yield from self._at(target, cls, change, owner=_owner_of(value, method))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=attr), args=args)):
                place = self.layout.place(target, cls)
                if isinstance(place, Variable):
                    one = args[0] if attr in _OF_ONE else None
                    yield from self._at(target, cls, Change(CHANGES[attr]), one)
                elif isinstance(place, type) and not (place is cls is self.layout.root):
                    yield from self._called(target, place, attr, args)

    def _at(
        self,
        target: ast.expr,
        cls: type[Process],
        change: Change,
        elem: ast.expr | None = None,
        owner: ast.expr | None = None,
    ) -> Iterator[Write]:
        way = _way(target)
        if way is not None and isinstance(self.layout.place(target, cls), Variable):
            yield Write(*way, change, elem, owner)

    def _called(
        self, target: ast.expr, of: type[Process], name: str, args: list[ast.expr]
    ) -> Iterator[Write]:
        """Yield the writes of a method that is called, with its arguments."""
        way = _way(target)
        assert way is not None
        path, keys = way
        callee = self.methods.get((of, name))
        if callee is None:
            mark = mark_of(getattr(of, name, None))
            if mark is not None and mark.kind != "helper":  # it is the program's own, and not read
                for variable in self._variables(of):
                    yield Write((*path, *variable), keys, _ANY)
            return
        given = dict(zip(callee.params, args, strict=False))
        for stmt in walk(callee.tree):
            if not isinstance(stmt, ast.stmt):
                continue
            for inner in self.of(stmt, of, callee):
                yield inner._replace(
                    path=path + inner.path,
                    keys=keys + tuple(_with(key, given) for key in inner.keys),
                    elem=_with(inner.elem, given),
                    owner=_with(inner.owner, given),
                )

    def _variables(self, of: type[Process]) -> Iterator[tuple[str, ...]]:
        """Yield the ways to all variables of a process and of its parts, by names."""
        for name in declarations(of):
            match self.layout.declared(of, name):
                case Family(member=part) | (type() as part):
                    yield from ((name, *rest) for rest in self._variables(part))
                case _:
                    yield (name,)


def _way(node: ast.expr) -> tuple[tuple[str, ...], tuple[ast.expr | None, ...]] | None:
    """Return the names and the keys by which an expression goes from `self`, if it does."""
    names: list[str] = []
    keys: list[ast.expr | None] = []
    while True:
        match node:
            case ast.Name(id="self"):
                return tuple(reversed(names)), tuple(reversed(keys))
            case ast.Attribute(value=value, attr=name):
                names.append(name)
                node = value
            case ast.Subscript(value=value, slice=key):
                keys.append(key if is_plain(key) else None)
                node = value
            case _:
                return None


def is_plain(node: ast.expr) -> bool:
    """Tell whether an expression says the same for as long as a step takes: names, and owners."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=ast.Name(id=name)):
            return name != "self"
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="owner"), args=[arg]):
            return is_plain(arg)
    return False


def writes_once(stmt: ast.stmt) -> bool:
    """Tell whether a statement writes by itself, whatever happens, and one thing only."""
    match stmt:
        case ast.Assign():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr), args=[_])):
            return attr == "add"
    return False


def _assigned(value: ast.expr, method: Method) -> Change:
    match value:
        case ast.Constant(value=bool() | None as known):
            return Change("is", known)
        case ast.Attribute(value=ast.Name(id=name), attr=member):
            found = method.names.get(name)
            if isinstance(found, type) and issubclass(found, Enum):
                return Change("is", member)
        case ast.Call(func=ast.Name(id="set"), args=[]):
            return Change("less")
    return _ANY


def _owner_of(value: ast.expr, method: Method) -> ast.expr | None:
    """Return to whom the elements of a set belong, if the set is made of those of one owner."""
    if isinstance(value, ast.Name):
        given = [
            stmt.value
            for stmt in walk(method.tree)
            if isinstance(stmt, ast.Assign) and ast.dump(stmt.targets[0]) == _stored(value.id)
        ]
        if len(given) == 1:
            value = given[0]
    match value:
        case ast.Call(func=ast.Name(id="set"), args=[inner]):
            return _owner_of(inner, method)
        case ast.SetComp(elt=ast.Name(id=elt), generators=[ast.comprehension(ifs=ifs)]):
            for cond in ifs:
                match cond:
                    case ast.Compare(
                        left=ast.Call(func=ast.Attribute(attr="owner"), args=[ast.Name(id=one)]),
                        ops=[ast.Eq()],
                        comparators=[owner],
                    ) if one == elt and is_plain(owner):
                        return owner
    return None


def _stored(name: str) -> str:
    return ast.dump(ast.Name(name, ast.Store()))


def _with(node: ast.expr | None, given: Mapping[str, ast.expr]) -> ast.expr | None:
    """Return an expression of a method as its caller would write it, if it can."""
    match node:
        case ast.Constant():
            return node
        case ast.Name(id=name):
            arg = given.get(name)
            return arg if arg is not None and is_plain(arg) else None
        case ast.Call(func=func, args=[arg]):
            inner = _with(arg, given)
            return None if inner is None else ast.Call(func, [inner], [])
    return None
