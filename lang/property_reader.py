"""The reader of properties: from the functions that state them to typed expressions."""

from __future__ import annotations

from functools import partial

from ackproof.lang import ir
from ackproof.lang.expressions import reader_of
from ackproof.lang.helpers import value_of
from ackproof.lang.kept import kept
from ackproof.lang.model import Model
from ackproof.lang.parameters import parameters, scope_of
from ackproof.lang.process import System
from ackproof.lang.program import Param, PropertyDecl
from ackproof.lang.properties import BUILT_IN, RANKED, Property
from ackproof.lang.scope import Registry, Scope
from ackproof.lang.types import BOOL, ProcT, RecordT, SortT

__all__ = ["read_properties"]

#: How many states and events the functions of each kind take.
_SHAPES = {
    "invariant": {(1, 0)},
    "step": {(2, 0), (2, 1)},
    "eventually": {(1, 0)},
    "reachable": {(1, 0), (2, 0), (2, 1)},
    "constraint": {(1, 0)},
    "initially": {(1, 0)},
    "measure": {(1, 0)},
    "helpful": {(1, 0)},
}


def read_properties(model: Model, registry: Registry) -> tuple[PropertyDecl, ...]:
    """Return the properties of a model, and its constraints and the like among them.

    Raises:
        SpecError: one of them is outside the language, or has the name of another.
    """
    found: dict[str, PropertyDecl] = {}
    for prop in model.properties:
        scope, node = scope_of(prop.function, Scope("", {}, registry))
        if prop.name in found or prop.name in BUILT_IN:
            raise scope.error(
                node,
                f"there is another property called `{prop.name}`",
                "give it a name of its own",
            )
        read = partial(_property, prop, model.system, registry)
        found[prop.name] = kept(registry, (_property, prop, model.system), read)
    return tuple(found.values())


def _property(prop: Property, system: type[System], registry: Registry) -> PropertyDecl:
    function = prop.function
    scope, node = scope_of(function, Scope("", {}, registry))
    scope.stack = (function,)
    scope.claim = prop.name if prop.kind != "reachable" else ""
    params = parameters(scope, function, node, method=False)
    states = [(n, t) for n, t in params if t == ProcT(system.__name__)]
    events = [(n, t) for n, t in params if isinstance(t, RecordT)]
    apart = prop.kind in ("eventually", *RANKED)
    elements = [(n, t) for n, t in params if apart and isinstance(t, SortT)]
    shape = (len(states), len(events))
    if shape not in _SHAPES[prop.kind] or states + events + elements != params:
        raise scope.error(
            node,
            f"`{prop.name}` does not have the parameters of a property",
            _remedy(prop.kind, system.__name__),
        )
    for name, t in states:
        scope.roots[name] = ir.Root(name, type=t)
    for name, event in events:
        scope.bound[name] = ir.Var(name, type=event)
    for name, sort in elements:
        scope.bound[name] = ir.Var(name, type=sort)
    return PropertyDecl(
        name=prop.name,
        kind=prop.kind,
        roots=tuple(n for n, _ in states),
        event=Param(*events[0]) if events else None,
        body=value_of(reader_of(scope), list(node.body), node, BOOL),
        doc=prop.doc,
        span=scope.span(node),
        params=tuple(Param(n, t) for n, t in elements),
    )


def _remedy(kind: str, system: str) -> str:
    if kind == "constraint":
        return f"write (s: {system}): a constraint is about one state"
    if kind == "initially":
        return f"write (s: {system}): it is about the state that a run begins in"
    if kind in RANKED:
        return f"write (s: {system}), and possibly elements of sorts"
    if kind == "eventually":
        return (
            f"write (s: {system}): what must happen in the end is said of one state, and possibly "
            "of elements of sorts"
        )
    return (
        f"write (s: {system}) for states, or (before: {system}, after: {system}) and possibly an "
        "event for steps"
    )
