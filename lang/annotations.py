"""Annotations: from what stands after a colon to types.

Python has already resolved the names in an annotation when this runs, so a type is read from the
object that stands there, and rejected at the line where it was written.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ackproof.lang.classes import note
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Span
from ackproof.lang.process import Process, hints_of, split_marks
from ackproof.lang.sorts import OrderedSort, OwnedSort, Sort
from ackproof.lang.source import annotation_span, class_span
from ackproof.lang.types import (
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
    is_scalar,
)
from ackproof.lang.values import Event, Map, Range, Record, Seq

__all__ = ["KINDS", "declared", "kind_rejected", "to_type", "type_of_class"]

#: The classes that sorts, enums and records extend.
KINDS: tuple[type, ...] = (Sort, OrderedSort, OwnedSort, enum.Enum, Record, Event)


#: The records whose fields are being read.
_OPEN: list[type[Record]] = []


@cache
def _hints(cls: Any) -> Mapping[str, Any]:
    """Return the fields of a record; a record is met wherever something has its type."""
    return get_type_hints(cls, include_extras=True)


def declared(cls: type) -> Mapping[str, Any]:
    """Return the declared variables of a process class, or the fields of a record.

    Raises:
        SpecError: a name in an annotation means nothing.
    """
    try:
        hashable: Any = cls
        return hints_of(hashable) if issubclass(cls, Process) else _hints(hashable)
    except Exception as error:
        raise SpecError(
            class_span(cls),
            f"the annotations of `{cls.__name__}` cannot be read: {error}",
            "define or import every name at the top of the module",
        ) from error


def type_of_class(cls: type) -> Type | None:
    """Return the scalar type a class stands for, or None if it is none of the language's."""
    if cls is bool:
        return BOOL
    if issubclass(cls, enum.Enum) and len(cls):
        note(cls)
        return EnumT(cls.__name__, tuple(cls.__members__))
    if issubclass(cls, Sort):
        return _sort(cls)
    if issubclass(cls, Record):
        return _record(cls)
    return None


def _sort(cls: type[Sort]) -> SortT:
    note(cls)
    owner = cls.owned_by if issubclass(cls, OwnedSort) else None
    return SortT(cls.__name__, cls.ordered, None if owner is None else _sort(owner))


def _record(cls: type[Record]) -> RecordT:
    note(cls)
    if cls in _OPEN:
        raise SpecError(
            class_span(cls),
            f"`{cls.__name__}` contains itself",
            "refer to another record by an element of a sort",
        )
    _OPEN.append(cls)
    try:
        hints = declared(cls)
        names = [f.name for f in dataclasses.fields(cls)]  # type: ignore[arg-type]
        return RecordT(cls.__name__, tuple((n, _field(cls, n, hints[n])) for n in names))
    finally:
        _OPEN.remove(cls)


def _field(cls: type[Record], name: str, hint: Any) -> Type:
    return _scalar(hint, annotation_span(cls, name), "a record holds")


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
    if inner in KINDS:
        raise kind_rejected(inner, span)
    if isinstance(inner, type) and origin is None:
        known = type_of_class(inner)
        if known is not None:
            return known
        raise _unknown(inner, span)
    if origin in (Union, UnionType):
        return _option(args, span)
    if origin is set:
        return SetT(_scalar(args[0], span, "a set holds"))
    if origin is Map:
        return _map(args, span)
    raise _unknown(inner, span)


def kind_rejected(cls: type, span: Span) -> SpecError:
    """Return the diagnostic for a base class of the language in the place of a type."""
    return SpecError(
        span,
        f"`{cls.__name__}` is what types are made from, and no type itself",
        f"declare one: class Name({cls.__name__})",
    )


def _unknown(hint: Any, span: Span) -> SpecError:
    name = getattr(hint, "__name__", str(hint))
    if hint in (set, dict, list, Map, Seq):
        return SpecError(
            span,
            f"`{name}` does not say what it holds",
            "name the element types, as in Set[Node] or Map[Node, bool]",
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
    caps = [m for m in marks if type(m) is int]
    if not caps or caps[0] < 1:
        raise SpecError(
            span,
            "a sequence without a bound has no finite state space",
            "say how much it holds: Annotated[Seq[Node], 3]",
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


def _map(args: tuple[Any, ...], span: Span) -> MapT:
    value = to_type(args[1], span)
    if isinstance(value, SeqT):
        raise SpecError(
            span,
            "a map holds single values, sets or maps, and this is a sequence",
            "give each key a process of its own (Each[…]), with the sequence in it",
        )
    return MapT(_scalar(args[0], span, "a map is indexed by"), value)


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
    words: dict[type[Any], str] = {
        SetT: "a set",
        MapT: "a map",
        SeqT: "a sequence",
        ProcT: "a process",
        FamilyT: "a family",
    }
    return words.get(type(t), repr(t))
