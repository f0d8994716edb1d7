"""Plain data: how states, arguments and events look outside of any engine.

Engines hold states in their own ways (Python objects, packed words, formulas).  Between them, in
traces and in JSON, a value is plain data: a bool, an int, the name of an enum's member, an
element of a sort (1, 2… or 'q1', 'q2'…), None, a tuple for a record or a sequence, a frozenset
for a set, and for a map the frozenset of its entries (key, value) that are not the default.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from ackproof.spec.lang.process import split_marks
from ackproof.spec.lang.types import (
    BoolT,
    EnumT,
    IntT,
    MapT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)
from ackproof.spec.lang.values import Map, Record, Seq

__all__ = [
    "Elements",
    "decoder",
    "default_data",
    "domain",
    "from_data",
    "in_range",
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
    return value


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

    The order is: False, True; members as declared; integers ascending; elements as named; None
    before the rest; records by their fields, the last one fastest; subsets as binary numbers.
    """
    if isinstance(t, BoolT):
        return [False, True]
    if isinstance(t, EnumT):
        return list(t.members)
    if isinstance(t, IntT):
        return list(range(t.lo, t.hi + 1))
    if isinstance(t, SortT):
        return list(elements[t.name])
    if isinstance(t, OptionT):
        return [None, *domain(t.inner, elements)]
    if isinstance(t, RecordT):
        return list(itertools.product(*(domain(f, elements) for _, f in t.fields)))
    if isinstance(t, SetT):
        items = domain(t.elem, elements)
        return [
            frozenset(x for i, x in enumerate(items) if mask >> i & 1)
            for mask in range(2 ** len(items))
        ]
    raise AssertionError(f"no domain for {t!r}")


def default_data(t: Type, elements: Elements) -> Any:
    """Return the value that a variable of this type starts with when none is given."""
    if isinstance(t, SetT | MapT):
        return frozenset()
    if isinstance(t, SeqT):
        return ()
    if isinstance(t, RecordT):
        return tuple(default_data(f, elements) for _, f in t.fields)
    if isinstance(t, IntT):
        return t.lo
    return domain(t, elements)[0]


def in_range(value: Any, t: Type) -> bool:
    """Tell whether data is a value of a type: integers in their bounds, sequences not too long."""
    if isinstance(t, IntT):
        return bool(t.lo <= value <= t.hi)
    if isinstance(t, SeqT):
        return len(value) <= t.cap and all(in_range(v, t.elem) for v in value)
    if isinstance(t, SetT):
        return all(in_range(v, t.elem) for v in value)
    if isinstance(t, MapT):
        return all(in_range(k, t.key) and in_range(v, t.value) for k, v in value)
    if isinstance(t, OptionT):
        return value is None or in_range(value, t.inner)
    if isinstance(t, RecordT):
        return all(in_range(v, f) for v, (_, f) in zip(value, t.fields, strict=True))
    return True


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
