"""The methods of a model, and what is to be known of the names in them.

Python has resolved classes and annotations already; so from `self` a chain of attributes and
brackets leads to the class of a process, and from there to how a variable is declared.
"""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args, get_origin

from ackproof.lang.annotations import declared
from ackproof.lang.discover import discover, registry_of
from ackproof.lang.model import Model
from ackproof.lang.process import Process, System, mark_of, split_marks
from ackproof.lang.source import function_ast, names_of
from ackproof.lang.values import GHOST, Each

__all__ = ["Place", "Surroundings", "is_local", "places_of"]


@dataclass(frozen=True)
class Place:
    """A method of a model.

    Args:
        process: the class of the process whose method it is.
        owner: the class that defines it, that one or a base.
        function: the method.
        shared: another process of the model has it from the same class, which is its own or a base.
    """

    process: type[Process]
    owner: type[Process]
    function: Callable[..., Any]
    shared: bool = False

    @property
    def name(self) -> str:
        """How it is called: `QueueMaster.take`."""
        cls = self.process if self.shared else self.owner
        return f"{cls.__name__}.{self.function.__name__}"

    @property
    def kind(self) -> str:
        """What it is to the specification: an action, a helper, …"""
        mark = mark_of(self.function)
        assert mark is not None, "places are marked methods"
        return mark.kind

    @cached_property
    def source(self) -> tuple[str, ast.FunctionDef]:
        """The file that it stands in, and its syntax tree."""
        return function_ast(self.function)

    @cached_property
    def names(self) -> dict[str, Any]:
        """What global names mean in it."""
        return names_of(self.function)


def places_of(model: Model) -> list[Place]:
    """Return the methods of a model, process by process, in the order in which they are written."""
    found: dict[tuple[type, type, str], Place] = {}
    processes = list(discover(model.system, registry_of(model, None)))
    heirs = Counter(owner for process in processes for owner in process.__mro__)
    for process in processes:
        for owner in process.__mro__:
            if not issubclass(owner, Process) or owner in (Process, System):
                continue
            for name, function in vars(owner).items():
                if inspect.isfunction(function) and mark_of(function) is not None:
                    shared = owner is not process and heirs[owner] > 1
                    found[process, owner, name] = Place(process, owner, function, shared)
    return list(found.values())


class Surroundings:
    """What the methods of a model may speak of."""

    def __init__(self, places: list[Place]) -> None:
        self.places = places
        self._by_name: dict[str, list[Place]] = {}
        for place in places:
            self._by_name.setdefault(place.function.__name__, []).append(place)
        self._idle: dict[Callable[..., Any], bool] = {}

    def holder(self, node: ast.expr, process: type[Process]) -> type[Process] | None:
        """Return the class of the process that an expression stands for, None if it is none."""
        match node:
            case ast.Name(id="self"):
                return process
            case ast.Subscript(value=value):
                return self._part(value, process, family=True)
        return self._part(node, process, family=False)

    def _part(
        self, node: ast.expr, process: type[Process], *, family: bool
    ) -> type[Process] | None:
        if not isinstance(node, ast.Attribute):
            return None
        outer = self.holder(node.value, process)
        hint = None if outer is None else declared(outer).get(node.attr)
        if family:
            hint = get_args(hint)[1] if get_origin(hint) is Each else None
        return hint if isinstance(hint, type) and issubclass(hint, Process) else None

    @cached_property
    def live(self) -> frozenset[str]:
        """The names of the methods that some step asks for more than what properties are told."""
        names: set[str] = set()
        waiting = [p for p in self.places if p.kind != "helper"]
        while waiting:
            place = waiting.pop()
            for name in self._asked(place.source[1].body, place.process):
                if name not in names:
                    names.add(name)
                    waiting += [p for p in self._by_name.get(name, ()) if p.kind == "helper"]
        return frozenset(names)

    def _asked(self, body: list[ast.stmt], process: type[Process]) -> Iterator[str]:
        """Yield the names of the methods that are called where more is written than ghosts."""
        for statement in body:
            if self.is_idle(statement, process) and not any(map(is_local, ast.walk(statement))):
                continue
            asking: ast.AST = statement
            if isinstance(statement, ast.If | ast.For):
                asking = statement.test if isinstance(statement, ast.If) else statement.iter
                yield from self._asked([*statement.body, *statement.orelse], process)
            for node in ast.walk(asking):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    yield node.func.attr

    def is_ghost(self, target: ast.expr, process: type[Process]) -> bool:
        """Tell whether what is written is there for properties only."""
        while isinstance(target, ast.Subscript):
            target = target.value
        if not isinstance(target, ast.Attribute):
            return False
        outer = self.holder(target.value, process)
        hint = None if outer is None else declared(outer).get(target.attr)
        return hint is not None and GHOST in split_marks(hint)[1]

    def is_idle(self, statement: ast.stmt, process: type[Process]) -> bool:
        """Tell whether a statement writes what is there for properties only."""
        match statement:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return True
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
                return isinstance(target, ast.Name) or self.is_ghost(target, process)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=name))):
                return self.is_ghost(value, process) or self._calls_idle(value, name, process)
            case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
                return all(self.is_idle(s, process) for s in [*body, *orelse])
        return False

    def _calls_idle(self, value: ast.expr, name: str, process: type[Process]) -> bool:
        """Tell whether a handler that is called writes nothing but such variables."""
        called = self.holder(value, process)
        method: Any = None if called is None else getattr(called, name, None)
        mark = mark_of(method)
        if called is None or mark is None or mark.kind != "handler":
            return False
        method = inspect.unwrap(method)
        if method not in self._idle:
            self._idle[method] = False  # what calls itself is rejected by the front end anyway
            body = function_ast(method)[1].body
            idle = all(self.is_idle(s, called) for s in body)
            self._idle[method] = idle and any(not _is_text(s) for s in body)
        return self._idle[method]

    def parameters(self, call: ast.Call, place: Place) -> list[str] | None:
        """Return the types of what a call gives, as they are written; None if nobody can tell."""
        match call.func:
            case ast.Attribute(attr=name):
                found = {tuple(_annotations(p)) for p in self._by_name.get(name, ())}
                return list(found.pop()) if len(found) == 1 else None
            case ast.Name(id=name):
                cls = place.names.get(name)
                if isinstance(cls, type):
                    return [str(t) for t in inspect.get_annotations(cls).values()]
        return None


def is_local(node: ast.AST) -> bool:
    """Tell whether something is a statement that gives a local name a value."""
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)


def _annotations(place: Place) -> Iterator[str]:
    for parameter in place.source[1].args.args[1:]:
        yield ast.unparse(parameter.annotation) if parameter.annotation else ""


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
