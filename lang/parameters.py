"""Signatures: the parameters of steps, helpers and properties, and the decorators they carry.

A call of any of them gives each parameter its argument; so does a call of a record's class.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, get_type_hints

from ackproof.lang import process, properties, rankings
from ackproof.lang.declare import to_type
from ackproof.lang.ir import Expr
from ackproof.lang.process import Process
from ackproof.lang.reader import Reader
from ackproof.lang.scope import UNKNOWN, Scope, assigned_names
from ackproof.lang.source import function_ast, names_of
from ackproof.lang.types import ProcT, Type

__all__ = [
    "Signature",
    "arguments",
    "check_decorators",
    "hints_in",
    "only_argument",
    "parameters",
    "scope_of",
]

#: Names and types of parameters, in order, `self` left out.
Signature = list[tuple[str, Type]]

_DECORATORS = (
    process.action,
    process.fault,
    process.handler,
    process.helper,
    process.on,
    properties.invariant,
    properties.step_property,
    properties.eventually,
    properties.leads_to,
    properties.reachable,
    properties.constraint,
    properties.initially,
    properties.lemma,
    properties.assumption,
    properties.restriction,
    rankings.helpful,
    rankings.measure,
)


def scope_of(function: Callable[..., Any], like: Scope) -> tuple[Scope, ast.FunctionDef]:
    """Return a scope for reading a function in the system of another scope, and its tree."""
    plain = inspect.unwrap(function)
    file, definition = function_ast(plain)
    scope = Scope(
        file,
        names_of(plain),
        like.registry,
        own=assigned_names(definition),
        claim=like.claim,
        counter=like.counter,
        comprehensions=like.comprehensions,
    )
    return scope, definition


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return annotations; to resolve them takes long, and is asked for whenever one is called."""
    return get_type_hints(function, include_extras=True)


def hints_in(scope: Scope, function: Callable[..., Any], node: ast.AST) -> dict[str, Any]:
    """Return a function's annotations with their names resolved."""
    try:
        return _hints(function)
    except Exception as error:
        raise scope.error(
            node,
            f"the annotations of `{function.__name__}` cannot be read: {error}",
            "define or import every name at the top of the module",
        ) from error


def parameters(
    scope: Scope, function: Callable[..., Any], definition: ast.FunctionDef, *, method: bool
) -> Signature:
    """Return the names and types of a function's parameters, `self` left out.

    Raises:
        SpecError: a parameter is not annotated, has a default, or has no type of the language.
    """
    check_decorators(scope, definition)
    a = definition.args
    if a.vararg or a.kwarg or a.posonlyargs or a.kwonlyargs:
        raise scope.error(
            definition, "`*` and `/` in parameters are outside the language", "name every parameter"
        )
    named = a.args[1:] if method else a.args
    if method and (not a.args or a.args[0].arg != "self"):
        raise scope.error(
            definition, "the first parameter of a method is the process", "call it `self`"
        )
    if a.defaults:
        raise scope.error(
            definition,
            "a parameter with a default is outside the language",
            "give every argument where it is called",
        )
    for p in named:
        if p.annotation is None:
            raise scope.error(
                p,
                f"the parameter `{p.arg}` has no annotation",
                f"say what it is: {p.arg}: SomeSort",
            )
    hints = hints_in(scope, function, definition)
    return [(p.arg, _type_of(scope, p, hints[p.arg])) for p in named]


def _type_of(scope: Scope, parameter: ast.arg, hint: Any) -> Type:
    if isinstance(hint, type) and issubclass(hint, Process):
        return ProcT(scope.registry.name_of(hint))
    return to_type(hint, scope.span(parameter), const=False)


def check_decorators(scope: Scope, definition: ast.FunctionDef) -> None:
    """Reject decorators that would make a function mean something else than its text."""
    for number, decorator in enumerate(definition.decorator_list):
        name = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = _object(scope, name)
        if not any(found is known for known in _DECORATORS):
            raise scope.error(
                decorator,
                f"the decorator `{ast.unparse(name)}` is not known to the language",
                "use @action, @fault, @handler, @helper, @on(Event), or one of a property",
            )
        if number > 0:
            raise scope.error(
                decorator, "a function has one decorator", "keep the one that says what it is"
            )


def _object(scope: Scope, node: ast.expr) -> object:
    if isinstance(node, ast.Name):
        return scope.names.get(node.id, UNKNOWN)
    if isinstance(node, ast.Attribute):
        return getattr(_object(scope, node.value), node.attr, UNKNOWN)
    return UNKNOWN


def arguments(
    reader: Reader, node: ast.Call, params: Signature, name: str, what: str
) -> list[Expr]:
    """Return the arguments of a call in the order of the parameters (or fields).

    Args:
        reader: reads the arguments.
        node: the call.
        params: names and types of what is called.
        name: what it is called.
        what: "parameters" or "fields".

    Raises:
        SpecError: the call does not give each of them one argument of its type.
    """
    names = ", ".join(n for n, _ in params) or "none"
    given = dict(zip((n for n, _ in params), node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in given or keyword.arg not in dict(params):
            raise reader.error(
                node,
                f"`{name}` takes no argument `{keyword.arg or '**'}` here",
                f"its {what} are: {names}",
            )
        given[keyword.arg] = keyword.value
    if set(given) != {n for n, _ in params} or len(node.args) > len(params):
        raise reader.error(
            node,
            f"`{name}` is called with the wrong number of arguments",
            f"its {what} are: {names}",
        )
    return [reader.expr(given[n], t) for n, t in params]


def only_argument(reader: Reader, node: ast.Call) -> ast.expr:
    """Return the one argument of a call.

    Raises:
        SpecError: it has none, or several.
    """
    if len(node.args) != 1 or node.keywords:
        raise reader.error(node, "this call takes one argument", "pass one argument")
    return node.args[0]
