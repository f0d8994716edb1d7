"""Declarations: the variables of a process class with what they start with, and its parts."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Iterable
from typing import Any, get_args, get_origin

from ackproof.lang import ir
from ackproof.lang.annotations import declared, to_type, type_of_class
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Expr, Span
from ackproof.lang.process import Process, split_marks
from ackproof.lang.program import VarDecl
from ackproof.lang.scope import Registry
from ackproof.lang.source import annotation_span
from ackproof.lang.types import (
    BOOL,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SortT,
    Type,
    is_mutable,
    written,
)
from ackproof.lang.values import ANYTHING, CONST, GHOST, KEY, Each, Record

__all__ = ["declare", "literal", "to_type", "type_of_class", "without_first_value"]


def declare(
    cls: type[Process], registry: Registry
) -> tuple[tuple[VarDecl, ...], dict[str, SortT], dict[str, ProcT | FamilyT]]:
    """Return the variables of a process class, its keys, and its parts (other processes).

    Raises:
        SpecError: a declaration is outside the language.
    """
    _reject_bare_assignments(cls)
    variables: list[VarDecl] = []
    keys: dict[str, SortT] = {}
    parts: dict[str, ProcT | FamilyT] = {}
    for name, hint in declared(cls).items():
        span = _declared_at(cls, name)
        _reject_taken_name(cls, name, span)
        inner, marks = split_marks(hint)
        part = _part(inner, span, registry)
        if KEY in marks:
            keys[name] = _key(cls, name, span)
        elif part is None:
            variables.append(_variable(cls, name, hint, span))
        elif marks:
            raise SpecError(
                span,
                "a part is a process, and neither Ghost nor Const",
                "mark the variables of the process instead",
            )
        else:
            parts[name] = part
    return tuple(variables), keys, parts


def _key(cls: type[Process], name: str, span: Span) -> SortT:
    hint, marks = split_marks(declared(cls)[name])
    key = to_type(hint, span)
    if not isinstance(key, SortT) or marks != {KEY}:
        raise SpecError(
            span,
            "a key is an element of a sort, and neither Ghost nor Const",
            "declare it as Key[SomeSort]",
        )
    if hasattr(cls, name):
        raise SpecError(
            span,
            f"the key `{name}` has a value already: the element whose member the process is",
            "leave the value out",
        )
    return key


def _declared_at(cls: type, name: str) -> Span:
    for base in cls.__mro__:
        if name in inspect.get_annotations(base):
            return annotation_span(base, name)
    return annotation_span(cls, name)


def _part(hint: Any, span: Span, registry: Registry) -> ProcT | FamilyT | None:
    if isinstance(hint, type) and issubclass(hint, Process):
        return ProcT(registry.name_of(hint))
    if get_origin(hint) is not Each:
        return None
    sort, proc = get_args(hint)
    key = to_type(sort, span)
    if not (isinstance(key, SortT) and isinstance(proc, type) and issubclass(proc, Process)):
        raise SpecError(
            span,
            "a family is one process for every element of a sort",
            "declare it as Each[SomeSort, SomeProcess]",
        )
    return FamilyT(key, ProcT(registry.name_of(proc)))


def _variable(cls: type, name: str, hint: Any, span: Span) -> VarDecl:
    marks = split_marks(hint)[1]
    ghost, const = GHOST in marks, CONST in marks
    kind = to_type(hint, span, const=const)
    if const and isinstance(kind, MapT | SeqT):
        raise SpecError(
            span, "a constant is a single value or a set", "declare a Set, or one Const for each"
        )
    if ghost and isinstance(kind, SeqT):
        raise SpecError(
            span,
            "a ghost sequence cannot be switched off",
            "keep a set of what was seen, or an option of what was seen last",
        )
    value = inspect.getattr_static(cls, name, dataclasses.MISSING)
    if value is dataclasses.MISSING:
        initial: Expr = _natural(kind, const, span)
    elif value is ANYTHING:
        _check_anything(kind, marks, span)
        initial = ir.Default(type=kind, span=span)
    elif is_mutable(kind) or isinstance(value, set | dict | list):
        raise SpecError(
            span,
            "a default that can be changed would be shared by all processes",
            "leave the value out: sets, maps and sequences start empty",
        )
    else:
        initial = literal(value, kind, span)
    return VarDecl(name, kind, ghost, const, initial, span, value is ANYTHING)


def _check_anything(declared: Type, marks: set[Any], span: Span) -> None:
    """Reject a variable that may not start with any value of its type."""
    if CONST in marks:
        raise SpecError(
            span,
            "a constant has one value, which an instance gives",
            "leave the value out, or leave out Const: a variable may start with anything",
        )
    if GHOST in marks:
        raise SpecError(
            span,
            "a ghost is history, and at first there is none",
            "leave the value out",
        )
    inner = declared
    while isinstance(inner, MapT):
        inner = inner.value
    if isinstance(inner, SeqT):
        raise SpecError(
            span,
            "a sequence does not start with anything",
            "leave the value out: sequences start empty",
        )
    missing = without_first_value(declared) if isinstance(declared, MapT) else None
    if missing is not None:
        raise SpecError(
            span,
            f"a map has a default, and no element of {missing.name} comes first",
            f"map to Option[{missing.name}], and let an @initially function exclude None",
        )


def _natural(declared: Type, const: bool, span: Span) -> Expr:
    """Return what a variable starts with when nothing is said."""
    if isinstance(declared, SortT) and declared.owner is not None and not const:
        return ir.First(type=declared, span=span)
    missing = without_first_value(declared)
    if missing is not None and missing.owner is not None and not const:
        raise SpecError(
            span,
            f"which element of {missing.name} comes first depends on the {missing.owner.name}",
            f"hold Option[{missing.name}], which starts as None",
        )
    if missing is not None and not const:
        raise SpecError(
            span,
            f"no element of the unordered sort {missing.name} comes first",
            f"declare Option[{missing.name}], which starts as None",
        )
    return ir.Default(type=declared, span=span)


def without_first_value(t: Type) -> SortT | None:
    """Return the unordered or owned sort, if any, because of which a type has no first value."""
    if isinstance(t, SortT):
        return None if t.ordered and t.owner is None else t
    if isinstance(t, MapT):
        return without_first_value(t.value)
    if isinstance(t, RecordT):
        return next(filter(None, (without_first_value(f) for _, f in t.fields)), None)
    return None


def literal(value: object, expected: Type, span: Span) -> Expr:
    """Return the expression for a Python value that stands in a declaration."""
    if isinstance(expected, OptionT):
        if value is None:
            return ir.Lit(None, type=expected, span=span)
        return ir.Some(literal(value, expected.inner, span), type=expected, span=span)
    if isinstance(value, enum.Enum) and type_of_class(type(value)) == expected:
        return ir.Lit(value.name, type=expected, span=span)
    if expected == BOOL and isinstance(value, bool):
        return ir.Lit(value, type=BOOL, span=span)
    if isinstance(expected, IntT) and type(value) is int:
        if not expected.lo <= value <= expected.hi:
            raise SpecError(
                span,
                f"{value} is outside {expected.lo} to {expected.hi}",
                "start with a value in the range, or widen it",
            )
        return ir.Lit(value, type=expected, span=span)
    if isinstance(expected, SortT) and expected.ordered and type(value) is int and value == 1:
        return ir.First(type=expected, span=span)
    if isinstance(value, Record) and type_of_class(type(value)) == expected:
        assert isinstance(expected, RecordT)
        args = tuple(literal(getattr(value, n), t, span) for n, t in expected.fields)
        return ir.MakeRecord(args, type=expected, span=span)
    shown = str(value) if isinstance(value, enum.Enum) else repr(value)
    raise SpecError(
        span,
        f"{shown} is not a value of type {written(expected)}",
        "write a literal of the declared type, or leave the value out",
    )


def _reject_bare_assignments(cls: type[Process]) -> None:
    """Reject class attributes that are neither declared nor methods."""
    known = set(declared(cls))
    for base in _specified(cls):
        for name, value in vars(base).items():
            plain = name.startswith("__") or inspect.isfunction(value)
            if not plain and name not in known:
                raise SpecError(
                    annotation_span(base, name),
                    f"`{name}` has no annotation",
                    f"declare its type: {name}: bool = …",
                )


def _reject_taken_name(cls: type[Process], name: str, span: Span) -> None:
    """Reject a variable with the name of a method: Python would find the variable instead."""
    for base in cls.__mro__:
        if inspect.isfunction(vars(base).get(name)):
            raise SpecError(
                span,
                f"`{name}` is a method of {base.__name__} already",
                "give the variable a name of its own",
            )


def _specified(cls: type[Process]) -> Iterable[type]:
    return (b for b in cls.__mro__ if issubclass(b, Process) and b.__module__ != Process.__module__)
