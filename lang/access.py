"""Access: constants and names, and what a dot or brackets lead to.

A name is a parameter, a local or a process, or it means a Python object: of those, numbers, truth
values and members of enums have a value here.  A dot leads to a variable, part or key of a process,
to a field of a record, to a member of an enum; brackets lead to an entry of a map, to a member of a
family, to the head of a sequence.
"""

from __future__ import annotations

import ast
import enum
import inspect

from ackproof.lang import ir
from ackproof.lang.annotations import declared
from ackproof.lang.declare import to_type, type_of_class
from ackproof.lang.errors import SpecError, close_to
from ackproof.lang.ir import Expr
from ackproof.lang.process import Process, split_marks
from ackproof.lang.reader import Reader, is_zero
from ackproof.lang.scope import UNKNOWN
from ackproof.lang.sorts import Sort
from ackproof.lang.types import (
    BOOL,
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SortT,
    Type,
    written,
)
from ackproof.lang.values import CONST, GHOST, Each

__all__ = [
    "is_ghost",
    "is_key",
    "read_attribute",
    "read_constant",
    "read_name",
    "read_subscript",
]


# -- constants and names ------------------------------------------------------------------------


def read_constant(reader: Reader, node: ast.Constant) -> Expr:
    """Return a number or truth value that is written out."""
    match node.value:
        case bool() | int() as value:
            return _number(reader, node, value)
        case None:
            raise reader.error(
                node,
                "nothing says of which type this None is",
                "compare with `is None`, or assign it to an Option variable",
            )
        case float() | complex():
            raise reader.error(
                node, "a float is outside the language", "use a bounded integer or an Enum"
            )
    raise reader.error(node, "text is outside the language", "use the members of an Enum")


def _number(reader: Reader, node: ast.expr, value: bool | int) -> Expr:
    t = BOOL if isinstance(value, bool) else IntT(value, value)
    return ir.Lit(value, type=t, span=reader.span(node))


def read_name(reader: Reader, node: ast.Name) -> Expr:
    """Return what a name stands for."""
    found = reader.scope.lookup(node)
    if isinstance(found, Expr):
        return _narrowed(reader, found)
    return _python_value(reader, node, node.id, found)


def _narrowed(reader: Reader, found: Expr) -> Expr:
    """Return an option's value where it is known not to be None."""
    if isinstance(found.type, OptionT) and repr(found) in reader.scope.facts:
        return ir.Unwrap(found, type=found.type.inner, span=found.span)
    return found


def _python_value(reader: Reader, node: ast.expr, name: str, value: object) -> Expr:
    """Return the value of a name that is defined outside of the specification's state."""
    if isinstance(value, enum.Enum):
        members = type_of_class(type(value))
        assert members is not None
        return ir.Lit(value.name, type=members, span=reader.span(node))
    if isinstance(value, bool) or type(value) is int:
        return _number(reader, node, value)
    if isinstance(value, type):
        ranged = issubclass(value, Sort | enum.Enum)
        raise reader.error(
            node,
            f"the class `{name}` is not a value",
            f"write set({name}) for the set of its elements"
            if ranged
            else "use a variable that was declared with it, or call it to build a record",
        )
    raise reader.error(
        node,
        f"`{name}` is a {type(value).__name__}, and its value is not part of the state",
        "declare it as state or Const of a process; only bools, ints and Enum members may be "
        "read from a module",
    )


# -- after a dot --------------------------------------------------------------------------------


def read_attribute(reader: Reader, node: ast.Attribute) -> Expr:
    """Return what a dot leads to."""
    outer = reader.scope.static(node.value)
    if isinstance(outer, type) and issubclass(outer, enum.Enum):
        return _member(reader, node, outer)
    if inspect.ismodule(outer):
        found = getattr(outer, node.attr, UNKNOWN)
        if found is UNKNOWN:
            raise reader.error(
                node,
                f"the module {outer.__name__} has no `{node.attr}`",
                "define it there, or correct the name",
            )
        return _python_value(reader, node, node.attr, found)
    return _narrowed(reader, _field(reader, node, reader.expr(node.value), node.attr))


def _member(reader: Reader, node: ast.Attribute, cls: type[enum.Enum]) -> Expr:
    t = type_of_class(cls)
    if not isinstance(t, EnumT) or node.attr not in t.members:
        raise reader.error(
            node,
            f"{cls.__name__} has no member `{node.attr}`",
            f"use one of {', '.join(cls.__members__)}",
        )
    return ir.Lit(node.attr, type=t, span=reader.span(node))


def _field(reader: Reader, node: ast.AST, obj: Expr, name: str) -> Expr:
    """Return the field `name` of a process or record."""
    match obj.type:
        case RecordT() as record:
            return _record_field(reader, node, obj, record, name)
        case ProcT() as process:
            return _process_field(reader, node, obj, process, name)
        case OptionT(inner=RecordT()):
            raise reader.error(
                node,
                f"this may be None, and None has no field `{name}`",
                "test it first: `x is not None and …`",
            )
    raise reader.error(
        node,
        f"a value of type {written(obj.type)} has no field `{name}`",
        "only processes and records have fields",
    )


def _record_field(reader: Reader, node: ast.AST, obj: Expr, record: RecordT, name: str) -> Expr:
    t = record.field(name)
    if t is None:
        have = ", ".join(n for n, _ in record.fields) or "none"
        raise reader.error(
            node, f"{written(record)} has no field `{name}`", f"its fields are: {have}"
        )
    return ir.Field(obj, name, type=t, span=reader.span(node))


def _process_field(reader: Reader, node: ast.AST, obj: Expr, process: ProcT, name: str) -> Expr:
    """Return a variable, part or key of a process."""
    span = reader.span(node)
    sort = reader.scope.registry.keys(process.name).get(name)
    if sort is not None:
        key = type_of_class(sort)
        assert isinstance(key, SortT)
        return ir.key_of(obj, key) or ir.Key(obj, type=key, span=span)
    t = _declared(reader, process, name)
    if t is None:
        raise _unknown_field(reader, node, process, name)
    return ir.Field(obj, name, type=t, span=span)


def _declared(reader: Reader, process: ProcT, name: str) -> Type | None:
    """Return the type of a variable or part of a process, or None if there is none."""
    hint = reader.scope.registry.hint(process.name, name)
    if hint is None:
        return None
    inner, marks = split_marks(hint)
    if isinstance(inner, type) and issubclass(inner, Process):
        return ProcT(reader.scope.registry.name_of(inner))
    if getattr(inner, "__origin__", None) is Each:
        sort, proc = inner.__args__
        key = type_of_class(sort)
        assert isinstance(key, SortT)
        return FamilyT(key, ProcT(reader.scope.registry.name_of(proc)))
    return to_type(hint, ir.NOWHERE, const=CONST in marks)


def _unknown_field(reader: Reader, node: ast.AST, process: ProcT, name: str) -> SpecError:
    if reader.scope.registry.has(process.name, name):
        return reader.error(
            node,
            f"`{name}` is a method of {process.name}, not a value",
            "call a @helper for its value; other steps are called as statements",
        )
    cls = reader.scope.registry.classes[process.name]
    meant = close_to(name, declared(cls))
    declare = f"declare it in class {cls.__name__} with its type"
    return reader.error(
        node,
        f"{process.name} declares no variable `{name}`",
        f"did you mean `{meant}`? if not, {declare}"
        if meant
        else f"{declare}, or correct the name",
    )


def is_key(reader: Reader, node: ast.expr) -> bool:
    """Tell whether an expression names the key of a process."""
    if not isinstance(node, ast.Attribute):
        return False
    process = reader.expr(node.value).type
    return isinstance(process, ProcT) and node.attr in reader.scope.registry.keys(process.name)


def is_ghost(reader: Reader, place: Expr) -> bool:
    """Tell whether an expression is a variable that is declared Ghost."""
    if not (isinstance(place, ir.Field) and isinstance(place.obj.type, ProcT)):
        return False
    hint = reader.scope.registry.hint(place.obj.type.name, place.name)
    return GHOST in split_marks(hint)[1]


# -- in brackets --------------------------------------------------------------------------------


def read_subscript(reader: Reader, node: ast.Subscript) -> Expr:
    """Return what brackets lead to."""
    obj = reader.expr(node.value)
    span = reader.span(node)
    match obj.type:
        case MapT(key=t, value=value):
            key = reader.expr(node.slice, t)
            return _narrowed(reader, ir.Index(obj, key, type=value, span=span))
        case FamilyT(key=t, proc=proc):
            return ir.Index(obj, reader.expr(node.slice, t), type=proc, span=span)
        case SeqT(elem=elem) if is_zero(node.slice):
            return ir.Head(obj, type=elem, span=span)
        case SeqT():
            raise reader.error(
                node,
                "only the head of a sequence can be read by position",
                "read s[0] and take it with s.pop(0)",
            )
    raise reader.error(
        node,
        f"a value of type {written(obj.type)} cannot be indexed",
        "index a Map by its key, or a family by an element of its sort",
    )
