"""The front end: from a model and a design to a `Program`.

`compile_model` finds the process classes below the system, reads their declarations and methods,
and runs `PASSES`, each a function from a program under construction to the same with more known
about it.  Nothing here knows what the specification is about.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ackproof.spec.lang import ir
from ackproof.spec.lang.calls import parameters
from ackproof.spec.lang.check_ghosts import check_ghosts
from ackproof.spec.lang.check_loops import check_loops
from ackproof.spec.lang.check_requires import check_requires
from ackproof.spec.lang.declare import declare, type_of_class
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.inline import inline_actions
from ackproof.spec.lang.model import Design, Model
from ackproof.spec.lang.process import Process, hints_of, mark_of
from ackproof.spec.lang.program import (
    Method,
    Param,
    ProcessDecl,
    Program,
    PropertyDecl,
    Variable,
)
from ackproof.spec.lang.properties import Property
from ackproof.spec.lang.scope import Registry, Scope
from ackproof.spec.lang.source import class_span, docstring, function_ast, names_of
from ackproof.spec.lang.statements import Statements
from ackproof.spec.lang.types import BOOL, FamilyT, MapT, ProcT, RecordT, SetT, SortT, Type

__all__ = ["PASSES", "compile_model"]

Pass = Callable[[Program], Program]

#: What every program goes through, in this order.
PASSES: tuple[Pass, ...] = (check_requires, check_ghosts, inline_actions, check_loops)


def compile_model(model: Model, design: Design | None = None) -> Program:
    """Return the typed program of a model, with a design's changes applied.

    Raises:
        SpecError: something in the specification or the design is outside the language.
    """
    registry = Registry(_replacements(model, design))
    root = registry.add(model.system)
    processes = [_process(cls, registry) for cls in _discover(root, model.system, registry)]
    variables = tuple(_variables(model.system.__name__, {p.name: p for p in processes}))
    program = Program(
        name=model.name,
        root=model.system.__name__,
        sorts=(),
        processes=tuple(processes),
        variables=variables,
        actions=(),
        properties=tuple(_property(p, model, registry) for p in model.properties),
        deadlock_free=model.deadlock_free,
        players=dict(registry.classes),
    )
    for step in PASSES:
        program = step(program)
    return replace(program, sorts=_sorts(program))


def _replacements(model: Model, design: Design | None) -> dict[type[Process], type[Process]]:
    replaced: dict[type[Process], type[Process]] = {}
    for cls in design.replace if design else ():
        base = cls.__mro__[1]
        if not issubclass(base, Process) or base.__module__ == Process.__module__:
            raise SpecError(
                class_span(cls),
                f"`{cls.__name__}` changes no process of the model",
                "extend the class it takes the place of: class MyQueue(QueueMaster)",
            )
        replaced[base] = cls
    known = {c for c in _reachable(model.system)}
    for base, cls in replaced.items():
        if base not in known:
            raise SpecError(
                class_span(cls),
                f"`{base.__name__}` is no process of the model {model.name}",
                "extend one of: " + ", ".join(sorted(c.__name__ for c in known)),
            )
    return replaced


def _reachable(cls: type[Process]) -> Iterable[type[Process]]:
    yield cls
    for hint in hints_of(cls).values():
        for part in (hint, *getattr(hint, "__args__", ())):
            if isinstance(part, type) and issubclass(part, Process):
                yield from _reachable(part)


def _discover(player: type[Process], cls: type[Process], registry: Registry) -> list[type[Process]]:
    """Return the process classes of a system, root first, each entered in the registry."""
    found = [cls]
    for hint in hints_of(player).values():
        for part in (hint, *getattr(hint, "__args__", ())):
            if (
                isinstance(part, type)
                and issubclass(part, Process)
                and part.__name__ not in registry.classes
            ):
                found += _discover(registry.add(part), part, registry)
    return found


def _process(cls: type[Process], registry: Registry) -> ProcessDecl:
    player = registry.player(cls)
    variables, parts = declare(player)
    methods = [
        m
        for c in reversed(player.__mro__)
        if issubclass(c, Process) and c.__module__ != Process.__module__
        for m in _methods(c, cls, player, registry)
    ]
    return ProcessDecl(
        name=cls.__name__,
        played_by=player.__name__,
        doc=docstring(player),
        variables=variables,
        parts=tuple(parts.items()),
        methods=tuple(reversed(methods)),
        span=class_span(player),
    )


def _methods(
    cls: type[Process], base: type[Process], player: type[Process], registry: Registry
) -> list[Method]:
    found = []
    for name, function in vars(cls).items():
        mark = mark_of(function)
        plain = inspect.isfunction(function) and not name.startswith("__")
        if mark is None and plain and _inherited_mark(cls, name) is not None:
            mark = _inherited_mark(cls, name)
        if mark is None:
            if plain:
                file, node = function_ast(function)
                Scope(file, {}, registry).refuse(
                    node,
                    f"nothing says what `{name}` is to the specification",
                    "decorate it: @action, @fault, @handler, @on(Event) or @helper",
                )
            continue
        _check_override(cls, name, function, registry)
        if mark.kind != "helper":
            found.append(_method(function, cls, base, registry))
    return found


def _inherited_mark(cls: type, name: str) -> Any:
    return next((mark_of(vars(b)[name]) for b in cls.__mro__[1:] if name in vars(b)), None)


def _check_override(cls: type, name: str, function: Any, registry: Registry) -> None:
    overridden = next((vars(b)[name] for b in cls.__mro__[1:] if name in vars(b)), None)
    if overridden is None or mark_of(overridden) is None:
        return
    file, node = function_ast(function)
    scope = Scope(file, names_of(function), registry)
    mine = list(inspect.signature(function).parameters)
    base = list(inspect.signature(overridden).parameters)
    if mine != base:
        scope.refuse(
            node,
            f"`{name}` has other parameters than the step it overrides",
            f"use the same, in the same order: {', '.join(base)}",
        )
    own, theirs = mark_of(function), mark_of(overridden)
    assert theirs is not None
    if own is not None and own.kind != theirs.kind:
        scope.refuse(
            node,
            f"`{name}` overrides a step that is a {theirs.kind}, as a {own.kind}",
            f"decorate it @{theirs.kind}, or leave the decorator out",
        )


def _method(function: Any, cls: type[Process], base: type[Process], registry: Registry) -> Method:
    mark = mark_of(function) or _inherited_mark(cls, function.__name__)
    assert mark is not None
    file, node = function_ast(function)
    scope = Scope(file, names_of(function), registry, owner=cls)
    params = parameters(scope, function, node, method=True)
    for name, t in params:
        if isinstance(t, ProcT | FamilyT | MapT):
            scope.refuse(
                node,
                f"the parameter `{name}` has type {t!r}",
                "pass elements, sets of elements, truth values or records",
            )
    if mark.kind in {"action", "fault"}:
        _check_finite(scope, node, params)
    scope.roots["self"] = ir.Root("self", type=ProcT(base.__name__))
    for name, t in params:
        scope.bound[name] = ir.Var(name, type=t)
    event = type_of_class(mark.event) if mark.event is not None else None
    assert event is None or isinstance(event, RecordT)
    if mark.kind == "observer" and [t for _, t in params] != [event]:
        scope.refuse(
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
        body=Statements(scope).block(node.body),
        doc=docstring(function),
        span=scope.span(node),
    )


def _check_finite(scope: Scope, node: Any, params: list[tuple[str, Type]]) -> None:
    for name, t in params:
        small = t.elem if isinstance(t, SetT) else t
        if not isinstance(small, SortT) and isinstance(t, SetT):
            scope.refuse(
                node,
                f"the parameter `{name}` ranges over sets of {small!r}",
                "an action takes scalars, or subsets of a sort",
            )


def _property(prop: Property, model: Model, registry: Registry) -> PropertyDecl:
    function = prop.function
    file, node = function_ast(function)
    scope = Scope(file, names_of(function), registry, stack=(function,))
    params = parameters(scope, function, node, method=False)
    states = [(n, t) for n, t in params if t == ProcT(model.system.__name__)]
    events = [(n, t) for n, t in params if isinstance(t, RecordT)]
    shape = (len(states), len(events))
    allowed = {
        "invariant": {(1, 0)},
        "step": {(2, 0), (2, 1)},
        "reachable": {(1, 0), (2, 0), (2, 1)},
    }[prop.kind]
    if shape not in allowed or states + events != params:
        scope.refuse(
            node,
            f"`{prop.name}` does not have the parameters of a property",
            f"write (s: {model.system.__name__}) for states, or (before, after: "
            f"{model.system.__name__}[, event: SomeEvent]) for steps",
        )
    for name, t in states:
        scope.roots[name] = ir.Root(name, type=t)
    for name, t in events:
        scope.bound[name] = ir.Var(name, type=t)
    reader = Statements(scope)
    body = reader.value_of(list(node.body), node, BOOL)
    return PropertyDecl(
        name=prop.name,
        kind=prop.kind,
        roots=tuple(n for n, _ in states),
        event=Param(*events[0]) if events else None,
        body=body,
        doc=prop.doc,
        span=scope.span(node),
    )


def _variables(
    name: str,
    processes: dict[str, ProcessDecl],
    path: tuple[str, ...] = (),
    families: tuple[SortT, ...] = (),
) -> Iterable[Variable]:
    process = processes[name]
    for v in process.variables:
        yield Variable((*path, v.name), families, v.type, v.ghost, v.const, v.initial, name)
    for part, t in process.parts:
        if isinstance(t, FamilyT):
            yield from _variables(t.proc.name, processes, (*path, part), (*families, t.key))
        else:
            yield from _variables(t.name, processes, (*path, part), families)


def _sorts(program: Program) -> tuple[SortT, ...]:
    """Return the sorts that a program speaks of, in order of first use."""
    found: dict[SortT, None] = {}

    def visit(t: Type) -> None:
        if isinstance(t, SortT):
            found.setdefault(t)
        for inner in ("elem", "key", "value", "inner"):
            if hasattr(t, inner):
                visit(getattr(t, inner))
        if isinstance(t, RecordT):
            for _, field in t.fields:
                visit(field)

    for v in program.variables:
        for sort in v.families:
            visit(sort)
        visit(v.type)
    for action in program.actions:
        for p in action.params:
            visit(p.type)
    return tuple(found)
