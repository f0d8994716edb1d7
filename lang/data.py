"""Plain data: how states, arguments and events look outside of any engine.

Engines hold states in their own ways (Python objects, packed words, formulas).  Between them, in
traces and in JSON, a value is plain data: a bool, an int, the name of an enum's member, an
element of a sort (1, 2… or 'q1', 'q2'…, or 'ch2.1' for `Owned('ch2', 1)`), None, a tuple for a
record or a sequence, a frozenset for a set, and for a map the frozenset of its entries (key, value)
that are not the default.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, assert_never, get_args, get_origin, get_type_hints

from ackproof.lang.process import split_marks
from ackproof.lang.sorts import Owned, OwnedSort
from ackproof.lang.types import (
    BoolT,
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
)
from ackproof.lang.values import Map, Record, Seq

__all__ = [
    "Elements",
    "decoder",
    "default_data",
    "domain",
    "domain_size",
    "from_data",
    "in_range",
    "owner_of",
    "owners",
    "owns",
    "show",
    "to_data",
]

#: The elements of each sort of an instance, by the sort's name.
Elements = Mapping[str, tuple[Any, ...]]


def to_data(value: Any) -> Any:
    """Return a Python value of the specification as plain data."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Record):
        return tuple(to_data(getattr(value, f.name)) for f in dataclasses.fields(value))  # type: ignore[arg-type]
    if isinstance(value, set | frozenset):
        return frozenset(map(to_data, value))
    if isinstance(value, dict):
        return frozenset((to_data(k), to_data(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(map(to_data, value))
    return str(value) if isinstance(value, Owned) else value


def from_data(value: Any, hint: Any) -> Any:
    """Return plain data as the Python value that an annotation asks for; for a map, a dict."""
    return decoder(hint)(value)


@cache
def decoder(hint: Any) -> Callable[[Any], Any]:
    """Return the function that makes plain data the Python value that an annotation asks for."""
    hint, marks = split_marks(hint)
    origin, args = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint.__getitem__
    if isinstance(hint, type) and issubclass(hint, Record):
        return _record_decoder(hint)
    if isinstance(hint, type) and issubclass(hint, OwnedSort):
        return lambda value: _owned(hint, value)
    if origin is set:
        item = decoder(args[0])
        return lambda value: {item(v) for v in value}
    if origin is Seq:
        return _seq_decoder(decoder(args[0]), next((m for m in marks if type(m) is int), None))
    if origin is Map:
        key, item = map(decoder, args)
        return lambda value: {key(k): item(v) for k, v in value}
    some = [a for a in args if a is not type(None)]
    if some:
        inner = decoder(some[0])
        return lambda value: None if value is None else inner(value)
    return lambda value: value


def _owned(sort: type[OwnedSort[Any]], value: Any) -> Any:
    """Return an element of an owned sort; where there is one owner, it is an integer."""
    if not isinstance(value, str):
        return value
    owner, _, number = value.rpartition(".")
    return Owned(int(owner) if getattr(sort.owned_by, "numbered", False) else owner, int(number))


def _record_decoder(cls: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(cls, include_extras=True)
    fields = [decoder(hints[f.name]) for f in dataclasses.fields(cls)]
    return lambda value: cls(*(field(v) for field, v in zip(fields, value, strict=True)))


def _seq_decoder(item: Callable[[Any], Any], cap: int | None) -> Callable[[Any], Any]:
    def decode(value: Any) -> Seq[Any]:
        items = Seq(map(item, value))
        items.cap = cap
        return items

    return decode


def domain(t: Type, elements: Elements) -> list[Any]:
    """Return all values of a type as data, in a fixed order; for a set type, all its subsets.

    For a map type, that is every choice of a value for each key.

    The order is: False, True; members as declared; integers ascending; elements as named; None
    before the rest; records by their fields, and maps by their keys, the last one fastest; subsets
    as binary numbers.
    """
    match t:
        case BoolT():
            return [False, True]
        case EnumT(members=members):
            return list(members)
        case IntT(lo, hi):
            return list(range(lo, hi + 1))
        case SortT(name=name):
            return list(elements[name])
        case OptionT(inner):
            return [None, *domain(inner, elements)]
        case RecordT(fields=fields):
            return list(itertools.product(*(domain(f, elements) for _, f in fields)))
        case SetT(elem):
            items = domain(elem, elements)
            return [
                frozenset(x for i, x in enumerate(items) if mask >> i & 1)
                for mask in range(2 ** len(items))
            ]
        case MapT(key, value):
            keys = domain(key, elements)
            default = default_data(value, elements) if keys else None
            return [
                frozenset((k, v) for k, v in zip(keys, chosen, strict=True) if v != default)
                for chosen in itertools.product(domain(value, elements), repeat=len(keys))
            ]
        case SeqT() | ProcT() | FamilyT():
            raise AssertionError(f"no domain for {t!r}")
        case _:
            assert_never(t)


def domain_size(t: Type, elements: Elements) -> int:
    """Return how many values `domain` would list; of very many sets, a number that is too small."""
    match t:
        case BoolT():
            return 2
        case EnumT(members=members):
            return len(members)
        case IntT(lo, hi):
            return hi - lo + 1
        case SortT(name=name):
            return len(elements[name])
        case OptionT(inner):
            return 1 + domain_size(inner, elements)
        case RecordT(fields=fields):
            return math.prod(domain_size(f, elements) for _, f in fields)
        case SetT(elem):
            return 1 << min(domain_size(elem, elements), 1024)
        case MapT(key, value):
            return int(domain_size(value, elements) ** min(domain_size(key, elements), 1024))
        case SeqT() | ProcT() | FamilyT():
            raise AssertionError(f"no domain for {t!r}")
        case _:
            assert_never(t)


def owners(t: SortT, elements: Elements) -> tuple[Any, ...]:
    """Return the owners of the elements of an owned sort, in order."""
    assert t.owner is not None
    return elements[t.owner.name]


def owns(t: SortT, owner: Any, elements: Elements) -> tuple[Any, ...]:
    """Return the elements of an owned sort that an owner has, in order."""
    every, among = elements[t.name], owners(t, elements)
    count, place = len(every) // len(among), among.index(owner)
    return every[place * count : (place + 1) * count]


def owner_of(t: SortT, element: Any, elements: Elements) -> Any:
    """Return the owner of an element of an owned sort."""
    return next(one for one in owners(t, elements) if element in owns(t, one, elements))


def default_data(t: Type, elements: Elements) -> Any:
    """Return the value that a variable of this type starts with when none is given."""
    match t:
        case SetT() | MapT():
            return frozenset()
        case SeqT():
            return ()
        case RecordT(fields=fields):
            return tuple(default_data(f, elements) for _, f in fields)
        case IntT(lo=lo):
            return lo
        case OptionT():
            return None
        case BoolT() | EnumT() | SortT() | ProcT() | FamilyT():
            return domain(t, elements)[0]
        case _:
            assert_never(t)


def in_range(value: Any, t: Type) -> bool:
    """Tell whether data is a value of a type: integers in their bounds, sequences not too long."""
    match t:
        case IntT(lo, hi):
            return bool(lo <= value <= hi)
        case SeqT(elem, cap):
            return len(value) <= cap and all(in_range(v, elem) for v in value)
        case SetT(elem):
            return all(in_range(v, elem) for v in value)
        case MapT(key, item):
            return all(in_range(k, key) and in_range(v, item) for k, v in value)
        case OptionT(inner):
            return value is None or in_range(value, inner)
        case RecordT(fields=fields):
            return all(in_range(v, f) for v, (_, f) in zip(value, fields, strict=True))
        case BoolT() | EnumT() | SortT() | ProcT() | FamilyT():
            return True
        case _:
            assert_never(t)


def show(value: Any) -> str:
    """Return plain data as a reader wants it: sets in braces and in order."""
    if isinstance(value, frozenset):
        if value and all(isinstance(v, tuple) and len(v) == 2 for v in value):
            entries = sorted(value, key=lambda e: str(e[0]))
            return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in entries) + "}"
        return "{" + ", ".join(sorted(map(show, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ")"
    return str(value)
