"""Statements: the table from each kind of `ast` node to its rule, branches, loops and calls.

A new kind of statement is a rule and one line in `_statement`.

An early `return` becomes the other branch of the `if` it stands in, so that bodies have one way
through.  What is called with a set gets a set of its own: a handler that changes the state must
not see its argument change with it.
"""

from __future__ import annotations

import ast

from ackproof.lang import ir
from ackproof.lang.assignments import (
    read_assignment,
    read_augmented,
    read_joined_locals,
    read_mutation,
    reject_second,
)
from ackproof.lang.helpers import close_step, is_super, writer
from ackproof.lang.ir import Binder, Expr, Stmt
from ackproof.lang.parameters import arguments, only_argument, parameters, scope_of
from ackproof.lang.process import require
from ackproof.lang.reader import Reader
from ackproof.lang.scope import known_after
from ackproof.lang.sets import members
from ackproof.lang.truth import condition
from ackproof.lang.types import IntT, ProcT, SetT, SortT, is_mutable, written
from ackproof.lang.values import Event

__all__ = ["read_block"]

#: What is not in the language, with what to write instead.
_REJECTED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.While: (
        "`while` is outside the language: nothing bounds it",
        "take one step per action, or loop over a set with `for`",
    ),
    ast.Try: (
        "exceptions are outside the language",
        "state when a step is enabled with require(condition)",
    ),
    ast.TryStar: (
        "exceptions are outside the language",
        "state when a step is enabled with require(condition)",
    ),
    ast.Raise: (
        "exceptions are outside the language",
        "state when a step is enabled with require(condition)",
    ),
    ast.With: ("`with` is outside the language", "write its effects as statements"),
    ast.Break: (
        "`break` is outside the language: iterations are parallel",
        "narrow the set that the loop ranges over",
    ),
    ast.Continue: ("`continue` is outside the language", "use `if` inside the loop"),
    ast.FunctionDef: (
        "a function inside a step is outside the language",
        "move it to the module and decorate it @helper",
    ),
    ast.ClassDef: ("a class inside a step is outside the language", "move it to the module"),
    ast.Global: ("`global` is outside the language", "declare state on a process"),
    ast.Nonlocal: ("`nonlocal` is outside the language", "declare state on a process"),
    ast.Import: ("an import inside a step is outside the language", "import at the top"),
    ast.ImportFrom: ("an import inside a step is outside the language", "import at the top"),
    ast.Delete: (
        "`del` is outside the language",
        "use discard on a set; assign the default to an entry of a map",
    ),
    ast.Match: ("`match` is outside the language", "use if and elif"),
}


# -- blocks and returns -------------------------------------------------------------------------


def read_block(reader: Reader, nodes: list[ast.stmt]) -> tuple[Stmt, ...]:
    """Return the statements of a block; locals it introduces are known until its end.

    Raises:
        SpecError: a statement is outside the language.
    """
    out: list[Stmt] = []
    with reader.scope.binding(), reader.scope.knowing():
        for position, node in enumerate(nodes):
            rest = nodes[position + 1 :]
            if isinstance(node, ast.If) and _returns([node]):
                out.append(_early_return(reader, node, rest))
                break
            if isinstance(node, ast.Return):
                _check_return(reader, node, rest)
                break
            out.extend(_statement(reader, node))
    return tuple(out)


def _statement(reader: Reader, node: ast.stmt) -> list[Stmt]:
    """Return what one statement becomes."""
    match node:
        case ast.Pass():
            return []
        case ast.If():
            joined = read_joined_locals(reader, node)
            return joined or [_branch(reader, node, node.body, node.orelse)]
        case ast.For():
            return [_loop(reader, node)]
        case ast.Assert():
            return [_assertion(reader, node)]
        case ast.Assign(targets=targets, value=value):
            return read_assignment(reader, node, targets, value)
        case ast.AnnAssign(target=target, value=value):
            return read_assignment(reader, node, [target], value)
        case ast.AugAssign():
            return [read_augmented(reader, node)]
        case ast.Expr():
            return _expression(reader, node)
    raise reader.error(node, *_REJECTED.get(type(node), _unknown(node)))


def _unknown(node: ast.stmt) -> tuple[str, str]:
    return (
        f"`{ast.unparse(node).split()[0]}` is outside the language",
        "see the list of statements in the language reference",
    )


def _check_return(reader: Reader, node: ast.Return, rest: list[ast.stmt]) -> None:
    """Reject a return that does not end a step."""
    if reader.in_loop:
        raise reader.error(
            node,
            "a return inside a loop is outside the language: iterations are parallel",
            "narrow the set that the loop ranges over, or use `if` inside the loop",
        )
    if node.value is not None:
        raise reader.error(
            node,
            "a step returns nothing",
            "write what it decides into the state, or make it a @helper",
        )
    _reject_unreached(reader, rest)


def _reject_unreached(reader: Reader, rest: list[ast.stmt]) -> None:
    if rest:
        raise reader.error(rest[0], "this is never reached", "remove it, or the return before it")


def _early_return(reader: Reader, node: ast.If, rest: list[ast.stmt]) -> Stmt:
    """Return a branch with what follows it moved into the sides that go on."""
    ends = [bool(side) and isinstance(side[-1], ast.Return) for side in (node.body, node.orelse)]
    if all(ends):
        _reject_unreached(reader, rest)
    then = node.body if ends[0] else node.body + rest
    orelse = node.orelse if ends[1] else node.orelse + rest
    return _branch(reader, node, then, orelse)


def _returns(nodes: list[ast.stmt]) -> bool:
    """Tell whether a `return` stands in these statements; loops are looked into separately."""
    for node in nodes:
        if isinstance(node, ast.Return):
            return True
        if isinstance(node, ast.If) and _returns(node.body + node.orelse):
            return True
    return False


# -- assertions, branches, loops ----------------------------------------------------------------


def _assertion(reader: Reader, node: ast.Assert) -> Stmt:
    if node.msg is not None and not isinstance(node.msg, ast.Constant):
        raise reader.error(
            node.msg, "text is outside the language", "write a plain string, or nothing"
        )
    cond = condition(reader, node.test)
    reader.scope.facts |= known_after(cond, True)
    return ir.Assert(cond, span=reader.span(node))


def _branch(reader: Reader, node: ast.If, then: list[ast.stmt], orelse: list[ast.stmt]) -> Stmt:
    cond = condition(reader, node.test)
    with reader.scope.knowing(known_after(cond, True)):
        yes = read_block(reader, then)
    with reader.scope.knowing(known_after(cond, False)):
        no = read_block(reader, orelse)
    return ir.If(cond, yes, no, span=reader.span(node))


def _loop(reader: Reader, node: ast.For) -> Stmt:
    if node.orelse:
        raise reader.error(
            node,
            "`for … else` is outside the language",
            "write the else part after the loop",
        )
    if not isinstance(node.target, ast.Name):
        raise reader.error(node.target, "a loop binds one name", "loop over one set at a time")
    name = node.target.id
    reject_second(reader, node.target, name)
    domain, ordered, live = _range(reader, node.iter)
    binder = Binder(reader.scope.fresh(name), domain)
    var = ir.Var(binder.name, type=binder.type, span=reader.span(node.target))
    with reader.scope.binding({name: var}):
        body = read_block(reader.looping(), node.body)
    return ir.For(binder, body, ordered, live=live, span=reader.span(node))


def _range(reader: Reader, node: ast.expr) -> tuple[Expr, bool, bool]:
    """Return the set a loop ranges over, whether in order, and whether it is not a copy."""
    if isinstance(node, ast.GeneratorExp):
        reader.expr(node)
    if not (isinstance(node, ast.Call) and reader.scope.static(node.func) is sorted):
        return members(reader, node), False, not reader.is_fresh(node)
    domain = members(reader, only_argument(reader, node))
    assert isinstance(domain.type, SetT)
    elem = domain.type.elem
    if not isinstance(elem, IntT) and not (isinstance(elem, SortT) and elem.ordered):
        raise reader.error(
            node,
            f"{written(elem)} has no order to sort by",
            "loop without sorted, or use an OrderedSort",
        )
    return domain, True, False


# -- calls as statements ------------------------------------------------------------------------


def _expression(reader: Reader, node: ast.Expr) -> list[Stmt]:
    match node.value:
        case ast.Constant(value=str()):
            return []
        case ast.Call() as call:
            return [_call(reader, call)]
        case ast.Yield() | ast.YieldFrom():
            reader.expr(node.value)
    raise reader.error(node, "this statement has no effect", "remove it, or assign its value")


def _call(reader: Reader, call: ast.Call) -> Stmt:
    if reader.scope.static(call.func) is require:
        return _requirement(reader, call)
    if not isinstance(call.func, ast.Attribute):
        raise reader.error(
            call,
            f"`{ast.unparse(call.func)}` cannot be called as a statement",
            "call a handler of a process, or require",
        )
    func = call.func
    if is_super(reader, func.value):
        obj = reader.scope.roots["self"]
        return _step(reader, call, func.attr, obj, writer(reader, func.value))
    if func.attr == "emit":
        return _emission(reader, call, func)
    obj = reader.expr(func.value)
    if isinstance(obj.type, ProcT):
        return _step(reader, call, func.attr, obj)
    return read_mutation(reader, call, func)


def _requirement(reader: Reader, call: ast.Call) -> Stmt:
    if reader.in_loop:
        raise reader.error(
            call,
            "a require inside a loop is outside the language",
            "write require(all(… for x in …)) before the loop",
        )
    cond = condition(reader, only_argument(reader, call))
    return ir.Require(cond, span=reader.span(call))


def _emission(reader: Reader, call: ast.Call, func: ast.Attribute) -> Stmt:
    if not (isinstance(func.value, ast.Name) and func.value.id == "self"):
        raise reader.error(call, "a process emits for itself", "write self.emit(…)")
    argument = only_argument(reader, call)
    cls = reader.scope.static(argument.func) if isinstance(argument, ast.Call) else None
    if not (isinstance(cls, type) and issubclass(cls, Event)):
        raise reader.error(
            call,
            "what is emitted is an Event, written in place",
            "write self.emit(SomeEvent(…)) with class SomeEvent(Event)",
        )
    event = reader.expr(argument)
    reader.scope.forget()
    return ir.Emit(event, span=reader.span(call))


def _step(reader: Reader, call: ast.Call, name: str, obj: Expr, after: type | None = None) -> Stmt:
    """Return the call of a step of a process; by `super()`, of a class after the one given."""
    assert isinstance(obj.type, ProcT)
    owner, function, mark = reader.scope.registry.method(obj.type.name, name, after)
    if mark is None or owner is None:
        otherwise = f"declare it in class {obj.type.name} with @handler"
        raise reader.error(
            call,
            f"{obj.type.name} has no step `{name}`",
            close_step(reader, obj.type, name, otherwise),
        )
    if mark.kind == "helper":
        raise reader.error(
            call,
            f"the value of the helper `{name}` is not used",
            "assign it or test it, or make it a @handler",
        )
    scope, definition = scope_of(function, reader.scope)
    params = parameters(scope, function, definition, method=True)
    args = arguments(reader, call, params, name, "parameters")
    types = dict(params)
    given = [*zip((n for n, _ in params), call.args, strict=False)]
    for parameter, node in [*given, *((k.arg or "", k.value) for k in call.keywords)]:
        if is_mutable(types[parameter]):
            _reject_shared(reader, node)
    reader.scope.forget()
    return ir.Call(obj, owner.__name__, name, tuple(args), span=reader.span(call))


def _reject_shared(reader: Reader, node: ast.expr) -> None:
    """Reject a set of the state as an argument; parameters and locals are no such sets."""
    local = isinstance(node, ast.Name) and node.id in reader.scope.bound
    if not local and not reader.is_fresh(node):
        raise reader.error(
            node,
            "the step would be given the set itself, and see it change",
            "copy it: set(…)",
        )
