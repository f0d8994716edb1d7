"""Methods: from the steps that a process class defines or inherits to typed bodies."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import partial
from typing import Any

from ackproof.lang import ir
from ackproof.lang.annotations import type_of_class
from ackproof.lang.declare import declare
from ackproof.lang.errors import SpecError
from ackproof.lang.expressions import reader_of
from ackproof.lang.kept import kept
from ackproof.lang.parameters import Signature, parameters, scope_of
from ackproof.lang.process import Mark, Process, System, mark_of
from ackproof.lang.program import Method, Param, ProcessDecl
from ackproof.lang.scope import Registry, Scope
from ackproof.lang.source import class_span, docstring
from ackproof.lang.statements import read_block
from ackproof.lang.types import (
    FamilyT,
    MapT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    written,
)

__all__ = ["check_overrides", "read_process"]


def read_process(cls: type[Process], registry: Registry) -> ProcessDecl:
    """Return a process class with everything it declares, as the class that plays it has it.

    Raises:
        SpecError: something in it is outside the language.
    """
    player = registry.player(cls)
    variables, keys, parts = kept(registry, (declare, player), partial(declare, player, registry))
    methods = [
        m
        for c in reversed(player.__mro__)
        if issubclass(c, Process) and c.__module__ != Process.__module__
        for name, function in vars(c).items()
        if (m := _read(name, function, c, cls, registry)) is not None
    ]
    decl = ProcessDecl(
        name=cls.__name__,
        played_by=player.__name__,
        doc=docstring(player),
        variables=variables,
        keys=tuple(keys.items()),
        parts=tuple(parts.items()),
        methods=tuple(reversed(methods)),
        span=class_span(player),
        added=frozenset(_added(cls, player, registry)),
    )
    _check_observers(decl, is_system=issubclass(player, System))
    return decl


def _added(base: type[Process], player: type[Process], registry: Registry) -> Iterator[str]:
    """Yield the names of what a player declares anew, and of its methods that override none.

    A part may be declared as the class that plays it: it is the part that the base has.
    """
    *_, before = kept(registry, (declare, base), partial(declare, base, registry))
    *_, parts = kept(registry, (declare, player), partial(declare, player, registry))
    same = {name for name, part in parts.items() if before.get(name) == part}
    for cls in player.__mro__:
        if cls not in base.__mro__:
            yield from vars(cls).get("__annotations__", {}).keys() - same
            yield from (name for name in vars(cls) if not hasattr(base, name))


def _read(
    name: str, function: Any, cls: type[Process], base: type[Process], registry: Registry
) -> Method | None:
    """Return what is defined as `name` in a class, None if it is a helper or no method."""
    if not inspect.isfunction(function) or name.startswith("__"):
        return None
    read = partial(_read_function, name, function, cls, base, registry)
    return kept(registry, (_read_function, name, function, cls, base), read)


def _read_function(
    name: str, function: Any, cls: type[Process], base: type[Process], registry: Registry
) -> Method | None:
    scope, node = scope_of(function, Scope("", {}, registry))
    mark = mark_of(function)
    if mark is None:
        raise scope.error(
            node,
            f"nothing says what `{name}` is to the specification",
            "decorate it: @action, @fault, @handler, @on(Event) or @helper",
        )
    if function.__name__ != name or hasattr(Process, name):
        raise scope.error(
            node,
            f"`{name}` is another name for `{function.__name__}`"
            if function.__name__ != name
            else f"every process has a method `{name}` already",
            "give the step one name, and one that is not taken",
        )
    params = parameters(scope, function, node, method=True)
    if mark.kind == "helper":
        return None
    return _method(function, mark, params, cls, base, registry)


def check_overrides(cls: type[Process], registry: Registry) -> None:
    """Compare what the class that plays `cls` overrides with what it overrides.

    Raises:
        SpecError: an override is another kind of step, or takes something else.
    """
    for base in registry.player(cls).__mro__:
        kept(registry, (check_overrides, base), partial(_check_overrides, base, registry))


def _check_overrides(cls: type, registry: Registry) -> None:
    for name, function in vars(cls).items():
        mark = mark_of(function)
        if mark is not None and inspect.isfunction(function):
            scope, node = scope_of(function, Scope("", {}, registry))
            params = parameters(scope, function, node, method=True)
            _check_override(cls, name, mark, params, scope, node)


def _check_override(
    cls: type, name: str, mark: Mark, params: Signature, scope: Scope, node: ast.AST
) -> None:
    """Reject an override that is another kind of step, or takes something else."""
    overridden: Any = next((vars(b)[name] for b in cls.__mro__[1:] if name in vars(b)), None)
    theirs = mark_of(overridden)
    if theirs is None:
        return
    if mark.kind != theirs.kind:
        raise scope.error(
            node,
            f"`{name}` overrides the {theirs.kind} of the same name, and is another kind of step",
            f"decorate it @{theirs.kind}, or leave the decorator out",
        )
    base_scope, base_node = scope_of(overridden, scope)
    base = parameters(base_scope, overridden, base_node, method=True)
    if params != base:
        names = ", ".join(f"{n}: {written(t)}" for n, t in base) or "none but self"
        raise scope.error(
            node,
            f"`{name}` has other parameters than the step it overrides",
            f"use the same, in the same order: {names}",
        )


def _method(
    function: Any,
    mark: Mark,
    params: Signature,
    cls: type[Process],
    base: type[Process],
    registry: Registry,
) -> Method:
    scope, node = scope_of(function, Scope("", {}, registry))
    scope.owner = cls
    _check_parameters(scope, node, params, mark)
    scope.roots["self"] = ir.Root("self", type=ProcT(base.__name__))
    for name, t in params:
        scope.bound[name] = ir.Var(name, type=t)
    event = type_of_class(mark.event) if mark.event is not None else None
    assert event is None or isinstance(event, RecordT)
    if mark.kind == "observer" and [t for _, t in params] != [event]:
        raise scope.error(
            node,
            f"an observer of {event!r} takes that event and nothing else",
            f"write def {function.__name__}(self, event: {event!r}) -> None",
        )
    return Method(
        owner=cls.__name__,
        name=function.__name__,
        kind=mark.kind,
        fair=mark.fair,
        event=event,
        params=tuple(Param(n, t) for n, t in params),
        body=read_block(reader_of(scope), node.body),
        doc=docstring(function),
        span=scope.span(node),
    )


def _check_parameters(scope: Scope, node: ast.FunctionDef, params: Signature, mark: Mark) -> None:
    places = {a.arg: a for a in node.args.args}
    for name, t in params:
        if isinstance(t, ProcT | FamilyT | MapT | SeqT):
            raise scope.error(
                places[name],
                f"the parameter `{name}` has type {written(t)}",
                "pass elements, sets of elements, truth values or records",
            )
        if (
            mark.kind in {"action", "fault"}
            and isinstance(t, SetT)
            and not isinstance(t.elem, SortT)
        ):
            raise scope.error(
                places[name],
                f"the parameter `{name}` ranges over sets of {written(t.elem)}",
                "an action takes single values, or subsets of a sort",
            )


def _check_observers(decl: ProcessDecl, is_system: bool) -> None:
    """Reject observers that nobody calls, and two of one event: nothing says which is first."""
    seen: dict[RecordT, Method] = {}
    for method in decl.methods:
        if method.kind != "observer" or decl.method(method.name) is not method:
            continue
        assert method.event is not None
        if not is_system:
            raise SpecError(
                method.span,
                f"`{method.name}` observes events in a process that is not the system",
                "move it to the System, and call a handler of this process there",
            )
        if method.event in seen:
            raise SpecError(
                method.span,
                f"`{method.name}` and `{seen[method.event].name}` observe the same event, and "
                "nothing says which comes first",
                "make them one observer",
            )
        seen[method.event] = method
