"""The reader of properties: from the functions that state them to typed expressions."""

from __future__ import annotations

import ast
from copy import deepcopy
from functools import partial
from typing import Any, assert_never

from ackproof.lang import ir
from ackproof.lang.expressions import reader_of
from ackproof.lang.helpers import value_of
from ackproof.lang.ir import Expr
from ackproof.lang.kept import kept
from ackproof.lang.model import Model
from ackproof.lang.parameters import Signature, parameters, scope_of
from ackproof.lang.process import System, mark_of
from ackproof.lang.program import Param, PropertyDecl
from ackproof.lang.properties import BUILT_IN, OF_RUNS, RANKED, Kind, Property
from ackproof.lang.scope import Registry, Scope
from ackproof.lang.types import BOOL, ProcT, RecordT, SortT, written

__all__ = ["read_properties"]


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
    theirs = _arguments(prop, system, scope, node)
    asked = [p for p in params if p in theirs]
    events = [(n, t) for n, t in params if isinstance(t, RecordT) and (n, t) not in asked]
    apart = prop.kind in (*OF_RUNS, *RANKED)
    elements = [(n, t) for n, t in params if apart and isinstance(t, SortT)]
    shape = (len(states), len(events))
    if shape not in _shapes(prop.kind) or states + events + elements + asked != params:
        raise scope.error(
            node,
            f"`{prop.name}` does not have the parameters of a property",
            _remedy(prop, system.__name__, theirs),
        )
    for name, t in states:
        scope.roots[name] = ir.Root(name, type=t)
    for name, event in events:
        scope.bound[name] = ir.Var(name, type=event)
    for name, sort in elements:
        scope.bound[name] = ir.Var(name, type=sort)
    for name, argument in asked:
        scope.bound[name] = ir.Var(name, type=argument)
    trigger, body = _said(scope, prop.kind, node)
    return PropertyDecl(
        name=prop.name,
        kind=prop.kind,
        roots=tuple(n for n, _ in states),
        event=Param(*events[0]) if events else None,
        body=body,
        doc=prop.doc,
        span=scope.span(node),
        params=tuple(Param(n, t) for n, t in elements),
        trigger=trigger,
        of=prop.of,
        asked=tuple(Param(n, t) for n, t in asked),
    )


def _arguments(
    prop: Property, system: type[System], scope: Scope, node: ast.FunctionDef
) -> Signature:
    """Return the parameters that all actions have whose steps a property is about.

    Raises:
        SpecError: one of them is no action of the system.
    """
    theirs: list[Signature] = []
    for name in prop.of:
        action: Any = getattr(system, name, None)
        mark = mark_of(action)
        if mark is None or mark.kind not in ("action", "fault"):
            raise scope.error(
                node,
                f"`{prop.name}` is about the steps of `{name}`, which is no action of the system",
                f"give the name of an action of {system.__name__}",
            )
        own, definition = scope_of(action, scope)
        theirs.append(parameters(own, action, definition, method=True))
    return [p for p in theirs[0] if all(p in other for other in theirs)] if theirs else []


def _said(scope: Scope, kind: Kind, node: ast.FunctionDef) -> tuple[Expr | None, Expr]:
    """Return the trigger of a property, if it has one, and what it claims."""
    if kind != "leads_to":
        return None, value_of(reader_of(scope), list(node.body), node, BOOL)
    found = []
    for number in range(2):
        with scope.binding():
            body = _Answer(scope, number).of(node)
            found.append(value_of(reader_of(scope), body, node, BOOL))
    return found[0], found[1]


class _Answer(ast.NodeTransformer):
    """Leaves one of the two answers that a function returns, wherever it returns."""

    def __init__(self, scope: Scope, number: int) -> None:
        self._scope = scope
        self._number = number

    def of(self, node: ast.FunctionDef) -> list[ast.stmt]:
        """Return the body of a function that returns this answer and no other."""
        answer = deepcopy(node)
        self.generic_visit(answer)
        return answer.body

    def visit_Return(self, node: ast.Return) -> ast.Return:
        """Return the answer alone."""
        if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != 2:
            raise self._scope.error(
                node,
                "what leads to something is stated with two answers",
                "write: return trigger, answer",
            )
        return ast.copy_location(ast.Return(node.value.elts[self._number]), node)


def _shapes(kind: Kind) -> set[tuple[int, int]]:
    """Return how many states and events the functions of a kind may take."""
    match kind:
        case "step":
            return {(2, 0), (2, 1)}
        case "reachable":
            return {(1, 0), (2, 0), (2, 1)}
        case (
            "invariant"
            | "eventually"
            | "leads_to"
            | "constraint"
            | "initially"
            | "measure"
            | "helpful"
        ):
            return {(1, 0)}
        case _:
            assert_never(kind)


def _remedy(prop: Property, system: str, theirs: Signature) -> str:
    if prop.of:
        arguments = ", ".join(f"{name}: {written(t)}" for name, t in theirs) or "none"
        return (
            f"write (before: {system}, after: {system}), possibly an event, and then what it takes "
            f"of the arguments: {arguments}"
        )
    kind = prop.kind
    match kind:
        case "constraint":
            return f"write (s: {system}): a constraint is about one state"
        case "initially":
            return f"write (s: {system}): it is about the state that a run begins in"
        case "measure" | "helpful":
            return f"write (s: {system}), and possibly elements of sorts"
        case "eventually" | "leads_to":
            return (
                f"write (s: {system}): what must happen in the end is said of one state, and "
                "possibly of elements of sorts"
            )
        case "invariant" | "step" | "reachable":
            return (
                f"write (s: {system}) for states, or (before: {system}, after: {system}) and "
                "possibly an event for steps"
            )
        case _:
            assert_never(kind)
