"""Renamings: a state, as data, under a permutation of the elements of some sorts.

A renaming gives each element of a sort another one of the same sort, and no two the same.  It acts
on everything that a state is made of: on the element that a variable has, on the members of a set,
on keys and values of a map, and on whose variable it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise, permutations, product
from math import factorial, prod
from typing import Any, assert_never

from ackproof.lang.binding import Bound
from ackproof.lang.data import Elements, default_data, domain
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

__all__ = [
    "OfStates",
    "Renaming",
    "count_renamings",
    "mentions",
    "neighbours",
    "renamed",
    "renamings",
]

#: For each sort that is renamed the new name of each of its elements, as data.
Renaming = Mapping[str, Mapping[Any, Any]]


def mentions(t: Type, sorts: Collection[str]) -> bool:
    """Tell whether a value of a type may have an element of one of some sorts in it."""
    match t:
        case SortT(name=name):
            return name in sorts
        case OptionT(inner):
            return mentions(inner, sorts)
        case RecordT(fields=fields):
            return any(mentions(f, sorts) for _, f in fields)
        case SetT(elem) | SeqT(elem=elem):
            return mentions(elem, sorts)
        case MapT(key, value):
            return mentions(key, sorts) or mentions(value, sorts)
        case BoolT() | EnumT() | IntT():
            return False
        case ProcT() | FamilyT():
            raise AssertionError(f"{t!r} is no type of data")
        case _:
            assert_never(t)


def renamed(value: Any, t: Type, renaming: Renaming, elements: Elements) -> Any:
    """Return a value of a type, as data, under a renaming.

    Args:
        value: the value.
        t: its type.
        renaming: the new names.
        elements: those of all sorts.
    """
    if not mentions(t, renaming):
        return value
    match t:
        case SortT(name=name):
            return renaming[name][value]
        case OptionT(inner):
            return None if value is None else renamed(value, inner, renaming, elements)
        case RecordT(fields=fields):
            parts = zip(value, fields, strict=True)
            return tuple(renamed(v, f, renaming, elements) for v, (_, f) in parts)
        case SetT(elem):
            return frozenset(renamed(v, elem, renaming, elements) for v in value)
        case SeqT(elem=elem):
            return tuple(renamed(v, elem, renaming, elements) for v in value)
        case MapT(key, inner):
            # An entry that has the default is left out, and may have another value when renamed.
            known, default = dict(value), default_data(inner, elements)
            entries = (
                (renamed(k, key, renaming, elements), renamed(v, inner, renaming, elements))
                for k, v in ((k, known.get(k, default)) for k in domain(key, elements))
            )
            return frozenset((k, v) for k, v in entries if v != default)
        case BoolT() | EnumT() | IntT() | ProcT() | FamilyT():
            raise AssertionError(f"{t!r} mentions no sort")
        case _:
            assert_never(t)


class OfStates:
    """A renaming of the states of a bound program; called with one, as data, it renames that.

    Args:
        bound: the program.
        renaming: the new names.
    """

    def __init__(self, bound: Bound, renaming: Renaming) -> None:
        self._renaming, self._elements = renaming, bound.elements
        self._types = [loc.variable.type for loc in bound.locations]
        number = {(loc.variable.path, loc.elements): n for n, loc in enumerate(bound.locations)}
        #: Where the value of each location goes, by its number.
        self.places = [
            number[loc.variable.path, self._members(loc.variable.families, loc.elements)]
            for loc in bound.locations
        ]

    def _members(self, families: tuple[SortT, ...], members: tuple[Any, ...]) -> tuple[Any, ...]:
        pairs = zip(families, members, strict=True)
        return tuple(renamed(one, sort, self._renaming, self._elements) for sort, one in pairs)

    def __call__(self, state: tuple[Any, ...]) -> tuple[Any, ...]:
        after = list(state)
        for place, t, value in zip(self.places, self._types, state, strict=False):
            after[place] = renamed(value, t, self._renaming, self._elements)
        return tuple(after)


def count_renamings(elements: Elements, sorts: Collection[str]) -> int:
    """Return how many renamings there are of the elements of some sorts."""
    return prod(factorial(len(elements[sort])) for sort in sorts)


def renamings(elements: Elements, sorts: Collection[str]) -> Iterator[Renaming]:
    """Yield every renaming of the elements of some sorts, the one that changes nothing first."""
    choices = (permutations(elements[sort]) for sort in sorts)
    for chosen in product(*choices):
        yield {
            sort: dict(zip(elements[sort], names, strict=True))
            for sort, names in zip(sorts, chosen, strict=True)
        }


def neighbours(elements: Elements, sort: str) -> Iterator[Renaming]:
    """Yield the exchanges of two elements of a sort that are next to each other.

    Whatever order the elements are to have, some of these after each other lead to it.
    """
    names = elements[sort]
    for one, other in pairwise(names):
        yield {sort: {**dict(zip(names, names, strict=True)), one: other, other: one}}
