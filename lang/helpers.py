"""Helpers: calls of pure functions, read where they stand.

A helper's parameters become `let`s and its body, a chain of locals, branches and returns, becomes
one expression.  So recursion would never end, and is rejected.

A method is looked up as Python does it: on the class that plays the process, or for `super()` on
the classes that come after the writing class in the order of *that* class's bases.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from ackproof.lang import ir
from ackproof.lang.declare import to_type
from ackproof.lang.errors import SpecError, close_to
from ackproof.lang.ir import Expr
from ackproof.lang.parameters import Signature, arguments, hints_in, parameters, scope_of
from ackproof.lang.process import Process, mark_of
from ackproof.lang.reader import Reader
from ackproof.lang.scope import Scope, known_after
from ackproof.lang.truth import condition, either
from ackproof.lang.types import FamilyT, IntT, MapT, ProcT, SeqT, Type

__all__ = [
    "Lets",
    "call_helper",
    "close_step",
    "is_super",
    "read_helper_call",
    "steady",
    "value_of",
    "writer",
]

#: Names with the values they stand for.
Lets = list[tuple[str, Expr]]


# -- finding the method -------------------------------------------------------------------------


def read_helper_call(reader: Reader, node: ast.Call, func: ast.Attribute) -> Expr:
    """Return what a call of a helper of a process comes out as."""
    registry = reader.scope.registry
    after: type | None = None
    if is_super(reader, func.value):
        after, obj = writer(reader, func.value), reader.scope.roots["self"]
    else:
        obj = reader.expr(func.value)
    if not isinstance(obj.type, ProcT):
        raise reader.error(
            node,
            f"`.{func.attr}()` has no value here",
            "changes to sets, maps and sequences are statements; use |, &, - for a new set",
        )
    owner, target, mark = registry.method(obj.type.name, func.attr, after)
    if mark is None or owner is None:
        otherwise = f"declare it in class {obj.type.name} with @helper"
        raise reader.error(
            node,
            f"{obj.type.name} has no helper `{func.attr}`",
            close_step(reader, obj.type, func.attr, otherwise),
        )
    if mark.kind != "helper":
        raise reader.error(
            node,
            f"`{func.attr}` is a step and has no value",
            "call it as a statement of its own",
        )
    if reader.scope.claim and registry.brought(obj.type.name, owner):
        raise _asks_the_accused(reader, owner, target)
    return call_helper(reader, node, target, obj, owner)


def _asks_the_accused(reader: Reader, owner: type, function: Callable[..., Any]) -> SpecError:
    """Return the error that a property judges a design by a helper that the design has replaced."""
    inner, definition = scope_of(inspect.unwrap(function), reader.scope)
    name, claim = function.__name__, reader.scope.claim
    return inner.error(
        definition,
        f"the property `{claim}` asks `{name}`, so `{owner.__name__}` would judge itself",
        f"leave `{name}` as it is; a step that needs another answer calls a @helper of its own",
    )


def close_step(reader: Reader, process: ProcT, name: str, otherwise: str) -> str:
    """Return what to write for a step or helper that is not there: a close name, if any."""
    cls = reader.scope.registry.classes[process.name]
    meant = close_to(name, (n for n in dir(cls) if mark_of(getattr(cls, n)) is not None))
    return f"did you mean `{meant}`? if not, {otherwise}" if meant else otherwise


def is_super(reader: Reader, node: ast.expr) -> bool:
    """Tell whether a node is `super()`."""
    return (
        isinstance(node, ast.Call)
        and not node.args
        and isinstance(node.func, ast.Name)
        and reader.scope.static(node.func) is super
    )


def writer(reader: Reader, node: ast.expr) -> type[Process]:
    """Return the class that writes `super()`, behind which Python looks for a method."""
    owner = reader.scope.owner
    if owner is None or "self" not in reader.scope.roots:
        raise reader.error(node, "super() is for methods of a process", "call the helper by name")
    if reader.scope.comprehensions:
        raise reader.error(
            node,
            "super() has no meaning inside a comprehension, which is a function of its own",
            "call self.… there, or take the value into a local before",
        )
    return owner


# -- the call -----------------------------------------------------------------------------------


def call_helper(
    reader: Reader,
    node: ast.Call,
    function: Callable[..., Any],
    obj: Expr | None = None,
    owner: type | None = None,
) -> Expr:
    """Return what a call of a helper comes out as.

    Args:
        reader: reads the arguments.
        node: the call.
        function: what is called.
        obj: the process whose method it is, if it is one.
        owner: the class that defines the method.
    """
    plain = inspect.unwrap(function)
    if plain in reader.scope.stack:
        raise reader.error(
            node,
            f"`{plain.__name__}` calls itself",
            "state it without recursion: quantify over a set instead",
        )
    inner, definition = scope_of(plain, reader.scope)
    inner.owner, inner.stack = owner, (*reader.scope.stack, plain)
    inner.comprehensions = 0
    params = parameters(inner, plain, definition, method=obj is not None)
    args = arguments(reader, node, params, plain.__name__, "parameters")
    lets: Lets = []
    if obj is not None:
        inner.roots["self"] = steady(reader, obj, lets)
    _bind(reader, inner, params, args, lets)
    result = _result_type(inner, plain, definition)
    body = value_of(reader.within(inner), list(definition.body), definition, result)
    return _with_lets(lets, body)


def _bind(reader: Reader, inner: Scope, params: Signature, args: list[Expr], lets: Lets) -> None:
    """Give the parameters of a helper their arguments."""
    for (name, _), arg in zip(params, args, strict=True):
        if isinstance(arg, ir.Var | ir.Lit):
            inner.bound[name] = arg
        elif isinstance(arg.type, ProcT | FamilyT | MapT | SeqT):
            inner.bound[name] = steady(reader, arg, lets)
        else:
            fresh = reader.scope.fresh(name)
            lets.append((fresh, arg))
            inner.bound[name] = ir.Var(fresh, type=arg.type, span=arg.span)


def steady(reader: Reader, path: Expr, lets: Lets) -> Expr:
    """Return a path in which every key is a name or literal; others are given a name."""
    if isinstance(path, ir.Field):
        obj = steady(reader, path.obj, lets)
        return ir.Field(obj, path.name, type=path.type, span=path.span)
    if isinstance(path, ir.Index):
        inner, key = steady(reader, path.obj, lets), path.key
        if not isinstance(key, ir.Var | ir.Lit):
            name = reader.scope.fresh("key")
            lets.append((name, key))
            key = ir.Var(name, type=key.type, span=key.span)
        return ir.Index(inner, key, type=path.type, span=path.span)
    return path


def _with_lets(lets: Lets, body: Expr) -> Expr:
    for name, value in reversed(lets):
        body = ir.Let(name, value, body, type=body.type, span=body.span)
    return body


def _result_type(inner: Scope, function: Callable[..., Any], definition: ast.FunctionDef) -> Type:
    if definition.returns is None:
        raise inner.error(
            definition,
            f"the helper `{function.__name__}` does not say what it returns",
            "annotate it: def f(…) -> bool:",
        )
    hints = hints_in(inner, function, definition)
    result = to_type(hints["return"], inner.span(definition.returns), const=True)
    if isinstance(result, MapT | SeqT):
        raise inner.error(
            definition.returns,
            f"the helper `{function.__name__}` returns a map or sequence",
            "return a single value or a set; take the map as a parameter where it is read",
        )
    return result


# -- bodies -------------------------------------------------------------------------------------


def value_of(reader: Reader, body: list[ast.stmt], where: ast.AST, result: Type) -> Expr:
    """Return the value of the body of a helper or property: locals, branches and returns.

    Args:
        reader: reads in the scope of that function.
        body: what is left of it.
        where: what to point at when it ends without a value.
        result: the type of the value.
    """
    if not body:
        raise reader.error(where, "this path returns nothing", "end every path with a return")
    head, rest = body[0], body[1:]
    match head:
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return value_of(reader, rest, where, result)
        case ast.Return(value=None):
            raise reader.error(head, "this path returns nothing", "return a value")
        case ast.Return(value=ast.expr() as value):
            return _returned(reader, value, result)
        case ast.If():
            return _branch(reader, head, rest, where, result)
        case ast.Assign(targets=targets, value=value):
            return _local(reader, head, targets, value, rest, where, result)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _local(reader, head, [target], value, rest, where, result)
    raise reader.error(
        head,
        "a helper computes a value and does nothing else",
        "use locals, if, and return; put changes into a @handler",
    )


def _returned(reader: Reader, value: ast.expr, result: Type) -> Expr:
    if isinstance(result, IntT):  # the narrower range of what is returned is kept
        found = reader.expr(value)
        reader.coerce(value, found, result)
        return found
    return reader.expr(value, result)


def _branch(
    reader: Reader, head: ast.If, rest: list[ast.stmt], where: ast.AST, result: Type
) -> Expr:
    scope = reader.scope
    cond = condition(reader, head.test)
    with scope.knowing(known_after(cond, True)), scope.binding():
        yes = value_of(reader, head.body + rest, where, result)
    with scope.knowing(known_after(cond, False)), scope.binding():
        no = value_of(reader, head.orelse + rest, where, result)
    return either(reader, head, cond, yes, no)


def _local(
    reader: Reader,
    head: ast.stmt,
    targets: list[ast.expr],
    value: ast.expr,
    rest: list[ast.stmt],
    where: ast.AST,
    result: Type,
) -> Expr:
    """Return the value of what follows a local, which is known there."""
    target = targets[0]
    if not isinstance(target, ast.Name):
        raise reader.error(head, "a helper changes nothing", "put changes into a @handler")
    if len(targets) != 1:
        raise reader.error(
            head,
            "one value is assigned to one place at a time",
            "write one assignment for each",
        )
    found = reader.expr(value)
    lets: Lets = []
    if isinstance(found.type, ProcT | FamilyT | MapT | SeqT):
        bound = steady(reader, found, lets)
    else:
        name = reader.scope.fresh(target.id)
        lets.append((name, found))
        bound = ir.Var(name, type=found.type, span=reader.span(target))
    with reader.scope.binding({target.id: bound}):
        body = value_of(reader, rest, where, result)
    return _with_lets(lets, body)
