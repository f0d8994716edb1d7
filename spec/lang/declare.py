"""Declarations: from annotations of live classes to types, variables and parts.

Python has already resolved the names in an annotation when this runs, so a declaration is read
from the object that stands there, and refused at the line where it was written.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Iterable
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ackproof.spec.lang import ir
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.ir import Expr, Span
from ackproof.spec.lang.process import Process, hints_of, split_marks
from ackproof.spec.lang.program import VarDecl
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.source import annotation_span
from ackproof.spec.lang.types import (
    BOOL,
    UNBOUNDED,
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
    is_mutable,
    is_scalar,
)
from ackproof.spec.lang.values import CONST, GHOST, Each, Map, Range, Record, Seq

__all__ = ["declare", "literal", "to_type", "type_of_class"]


def type_of_class(cls: type) -> Type | None:
    """Return the scalar type a class stands for, or None if it is none of the language's."""
    if cls is bool:
        return BOOL
    if issubclass(cls, enum.Enum) and len(cls):
        return EnumT(cls.__name__, tuple(cls.__members__))
    if issubclass(cls, Sort):
        return SortT(cls.__name__, cls.ordered)
    if issubclass(cls, Record) and dataclasses.is_dataclass(cls):
        hints = get_type_hints(cls, include_extras=True)
        return RecordT(
            cls.__name__,
            tuple(
                (f.name, to_type(hints[f.name], _of(cls, f.name))) for f in dataclasses.fields(cls)
            ),
        )
    return None


def _of(cls: type, name: str) -> Span:
    return annotation_span(cls, name)


def to_type(hint: Any, span: Span, *, const: bool = False) -> Type:
    """Return the type that an annotation stands for.

    Raises:
        SpecError: the annotation is outside the language.
    """
    inner, marks = split_marks(hint)
    origin, args = get_origin(inner), get_args(inner)
    if inner is int:
        return _integer(marks, span, const)
    if origin is Seq:
        return _sequence(args, marks, span)
    if isinstance(inner, type) and origin is None:
        known = type_of_class(inner)
        if known is not None:
            return known
        raise _unknown_type(inner, span)
    if origin in (Union, UnionType):
        return _option(args, span)
    if origin is set:
        return SetT(_scalar(args[0], span, "a set holds"))
    if origin is Map:
        value = to_type(args[1], span)
        return MapT(_scalar(args[0], span, "a map is indexed by"), value)
    raise _unknown_type(inner, span)


def _unknown_type(hint: Any, span: Span) -> SpecError:
    name = getattr(hint, "__name__", str(hint))
    if hint in (set, dict, list, Map, Seq):
        return SpecError(
            span,
            f"`{name}` does not say what it holds",
            "name the element types, as in Set[Msg] or Map[Msg, bool]",
        )
    return SpecError(
        span,
        f"`{name}` is not a type of the language",
        "use bool, an Enum, Annotated[int, Range(lo, hi)], a Sort, Option[…], Set[…], "
        "Map[…, …], Annotated[Seq[…], n] or a Record",
    )


def _integer(marks: set[Any], span: Span, const: bool) -> IntT:
    bounds = [m for m in marks if isinstance(m, Range)]
    if bounds and bounds[0].lo > bounds[0].hi:
        raise SpecError(
            span,
            f"the range {bounds[0].lo} to {bounds[0].hi} is empty",
            "give the lower bound first: Range(lo, hi) with lo <= hi",
        )
    if bounds:
        return IntT(bounds[0].lo, bounds[0].hi)
    if const:
        return IntT(-UNBOUNDED, UNBOUNDED)
    raise SpecError(
        span,
        "an integer without bounds has no finite state space",
        "give its bounds: Annotated[int, Range(0, 3)]",
    )


def _sequence(args: tuple[Any, ...], marks: set[Any], span: Span) -> SeqT:
    caps = [m for m in marks if isinstance(m, int)]
    if not caps or caps[0] < 1:
        raise SpecError(
            span,
            "a sequence without a bound has no finite state space",
            "say how much it holds: Annotated[Seq[Msg], 3]",
        )
    return SeqT(_scalar(args[0], span, "a sequence holds"), caps[0])


def _option(args: tuple[Any, ...], span: Span) -> OptionT:
    some = [a for a in args if a is not type(None)]
    if len(some) != 1 or len(args) != 2:
        raise SpecError(
            span,
            "a union of several types is outside the language",
            "use Option[T], or a Record with a field that tells the cases apart",
        )
    return OptionT(_scalar(some[0], span, "an option holds"))


def _scalar(hint: Any, span: Span, what: str) -> Type:
    found = to_type(hint, span)
    if not is_scalar(found):
        raise SpecError(
            span,
            f"{what} single values, and this is {_words(found)}",
            "use a scalar there; for sets of sets, a Map from a Sort to Set[…]",
        )
    return found


def _words(t: Type) -> str:
    return {SetT: "a set", MapT: "a map", SeqT: "a sequence"}.get(type(t), repr(t))


def literal(value: object, expected: Type, span: Span) -> Expr:
    """Return the expression for a Python value that stands in a declaration or a constant."""
    if isinstance(expected, OptionT):
        if value is None:
            return ir.Lit(None, type=expected, span=span)
        return ir.Some(literal(value, expected.inner, span), type=expected, span=span)
    if isinstance(expected, EnumT) and isinstance(value, enum.Enum):
        return ir.Lit(value.name, type=expected, span=span)
    if expected == BOOL and isinstance(value, bool):
        return ir.Lit(value, type=BOOL, span=span)
    if isinstance(expected, IntT) and isinstance(value, int) and not isinstance(value, bool):
        if not expected.lo <= value <= expected.hi:
            raise SpecError(
                span,
                f"{value} is outside {expected.lo} to {expected.hi}",
                "start with a value in the range, or widen it",
            )
        return ir.Lit(value, type=expected, span=span)
    if isinstance(expected, SortT) and expected.ordered and value == 1:
        return ir.First(type=expected, span=span)
    if isinstance(expected, RecordT) and isinstance(value, Record):
        args = tuple(literal(getattr(value, n), t, span) for n, t in expected.fields)
        return ir.MakeRecord(args, type=expected, span=span)
    raise SpecError(
        span,
        f"{value!r} is not a value of type {expected!r}",
        "write a literal of the declared type, or leave the value out",
    )


def declare(cls: type[Process]) -> tuple[tuple[VarDecl, ...], dict[str, ProcT | FamilyT]]:
    """Return the variables of a process class, and its parts (other processes).

    Raises:
        SpecError: a declaration is outside the language.
    """
    _refuse_bare_assignments(cls)
    variables: list[VarDecl] = []
    parts: dict[str, ProcT | FamilyT] = {}
    for name, hint in hints_of(cls).items():
        span = _declared_at(cls, name)
        inner, marks = split_marks(hint)
        part = _part(inner, span)
        if part is not None:
            parts[name] = part
            continue
        variables.append(_variable(cls, name, hint, span, GHOST in marks, CONST in marks))
    return tuple(variables), parts


def _declared_at(cls: type, name: str) -> Span:
    for base in cls.__mro__:
        if name in base.__dict__.get("__annotations__", {}):
            return annotation_span(base, name)
    return annotation_span(cls, name)


def _part(hint: Any, span: Span) -> ProcT | FamilyT | None:
    if isinstance(hint, type) and issubclass(hint, Process):
        return ProcT(hint.__name__)
    if get_origin(hint) is Each:
        sort, proc = get_args(hint)
        key = to_type(sort, span)
        if not isinstance(key, SortT) or not issubclass(proc, Process):
            raise SpecError(
                span,
                "a family is one process for every element of a sort",
                "declare it as Each[SomeSort, SomeProcess]",
            )
        return FamilyT(key, ProcT(proc.__name__))
    return None


def _variable(cls: type, name: str, hint: Any, span: Span, ghost: bool, const: bool) -> VarDecl:
    declared = to_type(hint, span, const=const)
    value = inspect.getattr_static(cls, name, dataclasses.MISSING)
    if value is dataclasses.MISSING:
        if isinstance(declared, SortT) and not declared.ordered and not const:
            raise SpecError(
                span,
                f"no element of the unordered sort {declared.name} comes first",
                f"declare Option[{declared.name}], which starts as None",
            )
        initial: Expr = ir.Default(type=declared, span=span)
    elif (is_mutable(declared) and not const) or isinstance(value, set | dict | list):
        raise SpecError(
            span,
            "a default that can be changed would be shared by all processes",
            "leave the value out: sets, maps and sequences start empty",
        )
    else:
        initial = literal(value, declared, span)
    return VarDecl(name, declared, ghost, const, initial, span)


def _refuse_bare_assignments(cls: type[Process]) -> None:
    """Refuse class attributes that are neither declared, nor methods, nor constants of a base."""
    declared = set(hints_of(cls))
    for base in _specified(cls):
        for name, value in vars(base).items():
            plain = (
                name.startswith("__")
                or callable(value)
                or isinstance(value, property | staticmethod | classmethod)
            )
            if not plain and name not in declared:
                raise SpecError(
                    annotation_span(base, name),
                    f"`{name}` has no annotation",
                    f"declare its type: {name}: bool = …",
                )


def _specified(cls: type) -> Iterable[type]:
    return (b for b in cls.__mro__ if issubclass(b, Process) and b.__module__ != Process.__module__)
