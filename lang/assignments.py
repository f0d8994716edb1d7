"""Assignments, and the methods that change sets, maps and sequences.

A place is never shared.  What is stored must be fresh, so that no two variables, nor a variable
and a local, are one Python set; then a name holds in Python what it stands for in the IR.
A local is assigned once; a local that is a process is merely a shorter name for it.

Everything that Python offers to change a set, a map or a sequence is reduced to a few statements of
the IR.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ackproof.lang import ir
from ackproof.lang.access import is_ghost, is_key
from ackproof.lang.errors import SpecError
from ackproof.lang.helpers import Lets, steady
from ackproof.lang.ir import Expr, Stmt
from ackproof.lang.operators import INT_OPERATORS, SET_OPERATORS, arithmetic
from ackproof.lang.parameters import only_argument
from ackproof.lang.reader import Reader, is_zero
from ackproof.lang.scope import known_after
from ackproof.lang.sets import members
from ackproof.lang.truth import choice, condition, either
from ackproof.lang.types import (
    FamilyT,
    IntT,
    MapT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    Type,
    is_mutable,
    written,
)

__all__ = [
    "read_assignment",
    "read_augmented",
    "read_joined_locals",
    "read_mutation",
    "reject_second",
]


def read_assignment(
    reader: Reader, node: ast.stmt, targets: list[ast.expr], value: ast.expr | None
) -> list[Stmt]:
    """Return what an assignment to a local or to a place in the state becomes."""
    if len(targets) != 1 or value is None:
        raise reader.error(
            node,
            "one value is assigned to one place at a time",
            "write one assignment for each",
        )
    match targets[0]:
        case ast.Name() as target:
            return _to_local(reader, target, value)
        case ast.Attribute() | ast.Subscript() as target:
            return [_to_place(reader, node, target, value)]
    raise reader.error(
        targets[0],
        "this is not a place that can be assigned to",
        "assign to a variable of a process, an entry of a map, or a local",
    )


# -- places -------------------------------------------------------------------------------------


def _to_place(reader: Reader, node: ast.stmt, target: ast.expr, value: ast.expr) -> Stmt:
    place = _place(reader, target)
    if isinstance(place.type, MapT | SeqT):
        raise reader.error(
            node,
            "a map or sequence is not assigned as a whole",
            "clear it, and fill it entry by entry",
        )
    if isinstance(place.type, SetT) and is_ghost(reader, place):
        raise reader.error(
            node,
            "a ghost set is changed in place, so that it can be switched off",
            "use .clear(), .add(…), |= …",
        )
    if isinstance(place.type, IntT):
        found = reader.expr(value)
        if not isinstance(found.type, IntT):
            found = reader.coerce(value, found, place.type)
    else:
        found = reader.expr(value, place.type)
    if is_mutable(place.type) and not reader.is_fresh(value):
        raise reader.error(value, "two places of the state would share this set", "copy it: set(…)")
    _forget(reader, place)
    return ir.Assign(place, found, span=reader.span(node))


def _place(reader: Reader, node: ast.expr) -> Expr:
    """Return an expression that can be written to."""
    found = reader.expr(node)
    if isinstance(found, ir.Unwrap):
        found = found.arg  # what is known of the old value says nothing of the new one
    if is_key(reader, node):
        raise reader.error(
            node,
            "a key is not written",
            "hold another element in a variable of its own",
        )
    root = found
    while isinstance(root, ir.Field | ir.Index):
        if isinstance(root, ir.Field) and isinstance(root.obj.type, RecordT):
            raise reader.error(
                node, "a record does not change", "assign a new record with the changed field"
            )
        root = root.obj
    if not isinstance(root, ir.Root) or isinstance(found, ir.Root):
        raise reader.error(
            node, "only state can be changed, and this is a value", "start from self"
        )
    if isinstance(found.type, ProcT | FamilyT):
        raise reader.error(
            node,
            "a process is not assigned as a whole",
            "assign its variables, or call its handlers",
        )
    return found


def _forget(reader: Reader, place: Expr) -> None:
    """Forget what was known of a variable that is written to."""
    while not isinstance(place, ir.Field):
        assert isinstance(place, ir.Index)
        place = place.obj
    reader.scope.forget(place.name)


def read_augmented(reader: Reader, node: ast.AugAssign) -> Stmt:
    """Return what `|=`, `+=` and the like become."""
    if isinstance(node.target, ast.Name):
        raise _second(reader, node, node.target.id)
    place, span = _place(reader, node.target), reader.span(node)
    set_operator = SET_OPERATORS.get(type(node.op))
    int_operator = INT_OPERATORS.get(type(node.op))
    if isinstance(place.type, SetT) and set_operator:
        value = reader.expr(node.value, place.type)
        change = ir.SetOp(set_operator, place, value, type=place.type, span=span)
        return ir.Assign(place, change, span=span)
    if isinstance(place.type, IntT) and int_operator:
        value = reader.expr(node.value)
        if isinstance(value.type, IntT):
            result = arithmetic(reader, int_operator, place, value, node)
            return ir.Assign(place, result, span=span)
    raise reader.error(
        node,
        f"this operator is not defined on {written(place.type)}",
        "use |= &= -= ^= on sets and += -= *= on integers",
    )


# -- locals -------------------------------------------------------------------------------------


def _to_local(reader: Reader, target: ast.Name, value: ast.expr) -> list[Stmt]:
    found = reader.expr(value)
    if isinstance(found.type, ProcT | FamilyT):
        return _alias(reader, target, found)
    _reject_shared(reader, value, found)
    return [_local(reader, target, target.id, found)]


def _reject_shared(reader: Reader, node: ast.expr, value: Expr) -> None:
    if is_mutable(value.type) and not reader.is_fresh(node):
        raise reader.error(
            node,
            "a second name for a set in the state would change with it",
            "copy it: set(…)",
        )


def _alias(reader: Reader, target: ast.Name, process: Expr) -> list[Stmt]:
    """Let a local stand for a process; the keys that lead to it are evaluated now."""
    reject_second(reader, target, target.id)
    lets: Lets = []
    reader.scope.bound[target.id] = steady(reader, process, lets)
    return [ir.Local(name, key, span=key.span) for name, key in lets]


def _local(reader: Reader, node: ast.AST, name: str, value: Expr) -> Stmt:
    reject_second(reader, node, name)
    fresh, span = reader.scope.fresh(name), reader.span(node)
    reader.scope.bound[name] = ir.Var(fresh, type=value.type, span=span)
    return ir.Local(fresh, value, span=span)


def reject_second(reader: Reader, node: ast.AST, name: str) -> None:
    """Reject a name that has a value already.

    Raises:
        SpecError: it has.
    """
    if name in reader.scope.bound or name in reader.scope.roots:
        raise _second(reader, node, name)


def _second(reader: Reader, node: ast.AST, name: str) -> SpecError:
    return reader.error(
        node,
        f"the local `{name}` is assigned a second time",
        "give the second value a name of its own",
    )


# -- locals that all branches assign ------------------------------------------------------------


def read_joined_locals(reader: Reader, node: ast.If) -> list[Stmt]:
    """Return the locals that all branches assign, if the branches do nothing else."""
    out: list[Stmt] = []
    for name in _assigned_alike(node) or ():
        with reader.scope.knowing():
            value = _joined_value(reader, node, name)
        out.append(_local(reader, node, name, value))
    return out


def _joined_value(reader: Reader, node: ast.If, name: str) -> Expr:
    scope = reader.scope
    cond = condition(reader, node.test)
    then = _locals_of(node.body)[name]
    inner = _else_if(node)
    if inner is not None:
        with scope.knowing(known_after(cond, True)):
            yes = reader.expr(then)
        with scope.knowing(known_after(cond, False)):
            no = _joined_value(reader, inner, name)
        found = either(reader, node, cond, yes, no)
    else:
        orelse = _locals_of(node.orelse)[name]
        found = choice(reader, node, cond, then, orelse)
        _reject_shared(reader, orelse, found)
    _reject_shared(reader, then, found)
    return found


def _else_if(node: ast.If) -> ast.If | None:
    """Return the `elif` of a branch."""
    match node.orelse:
        case [ast.If() as inner]:
            return inner
    return None


def _assigned_alike(node: ast.If) -> list[str] | None:
    """Return the names that every branch assigns once, or None if it does anything else."""
    inner = _else_if(node)
    then = _assigned_once(node.body)
    orelse = _assigned_once(node.orelse) if inner is None else _assigned_alike(inner)
    return then if then and orelse is not None and set(then) == set(orelse) else None


def _assigned_once(body: list[ast.stmt]) -> list[str] | None:
    """Return the locals that statements assign, or None if they do anything else."""
    names = list(_locals_of(body))
    return names if len(names) == len(body) else None


def _locals_of(body: list[ast.stmt]) -> dict[str, ast.expr]:
    """Return the values that statements give to locals, by name."""
    found: dict[str, ast.expr] = {}
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, value)
    return found


# -- methods of sets, maps and sequences --------------------------------------------------------

_UPDATES = {"update": "|", "difference_update": "-", "intersection_update": "&"}


def read_mutation(reader: Reader, call: ast.Call, func: ast.Attribute) -> Stmt:
    """Return what a call of a method that changes a set, a map or a sequence becomes."""
    place = _place(reader, func.value)
    table = _mutations(place.type)
    if func.attr not in table:
        raise reader.error(
            call,
            f"`.{func.attr}()` is not a change that {written(place.type)} knows",
            f"its changes are: {', '.join(table) or 'none, assign to it'}",
        )
    change = table[func.attr](reader, call, place)
    _forget(reader, place)
    return change


def _mutations(t: Type) -> dict[str, Callable[[Reader, ast.Call, Expr], Stmt]]:
    """Return the methods that change a value of a type, with their rules."""
    match t:
        case SetT():
            updates = dict.fromkeys(_UPDATES, _update)
            return {"add": _add, "discard": _discard, "clear": _clear, **updates}
        case MapT():
            return {"clear": _clear}
        case SeqT():
            return {"append": _append, "pop": _pop, "clear": _clear}
    return {}


def _add(reader: Reader, call: ast.Call, place: Expr) -> Stmt:
    assert isinstance(place.type, SetT)
    elem = reader.expr(only_argument(reader, call), place.type.elem)
    return ir.SetAdd(place, elem, span=reader.span(call))


def _discard(reader: Reader, call: ast.Call, place: Expr) -> Stmt:
    assert isinstance(place.type, SetT)
    elem = reader.expr(only_argument(reader, call), place.type.elem)
    return ir.SetDiscard(place, elem, span=reader.span(call))


def _clear(reader: Reader, call: ast.Call, place: Expr) -> Stmt:
    if call.args or call.keywords:
        raise reader.error(call, "clear takes no argument", "write .clear()")
    span = reader.span(call)
    return ir.Assign(place, ir.Default(type=place.type, span=span), span=span)


def _update(reader: Reader, call: ast.Call, place: Expr) -> Stmt:
    assert isinstance(call.func, ast.Attribute)
    argument, span = only_argument(reader, call), reader.span(call)
    if isinstance(argument, ast.GeneratorExp):
        raise reader.error(
            argument,
            "a generator would see the set change while it runs",
            "write a set comprehension: {x for x in …}",
        )
    value = reader.coerce(argument, members(reader, argument, place.type), place.type)
    change = ir.SetOp(_UPDATES[call.func.attr], place, value, type=place.type, span=span)
    return ir.Assign(place, change, span=span)


def _append(reader: Reader, call: ast.Call, place: Expr) -> Stmt:
    assert isinstance(place.type, SeqT)
    elem = reader.expr(only_argument(reader, call), place.type.elem)
    return ir.Push(place, elem, span=reader.span(call))


def _pop(reader: Reader, call: ast.Call, place: Expr) -> Stmt:
    if len(call.args) != 1 or call.keywords or not is_zero(call.args[0]):
        raise reader.error(call, "a sequence gives up its head only", "write .pop(0)")
    return ir.Pop(place, span=reader.span(call))
