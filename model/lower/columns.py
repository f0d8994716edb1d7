"""Columns: what of a state belongs to one element of a sort, and to nobody else.

An element's *column* is what its variables and entries hold, whether it is in a set, and whether a
variable has it.  Two elements whose columns differ need not be tried in both orders: to put columns
in order is to choose among the names of a state.

A leaf that speaks of several elements at once, as a sequence of them does, or a map from one to
another, is in no column.  A sort in such a leaf is *tangled*: where columns are the same, there may
be a difference all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ackproof.lang.types import MapT, OptionT, SetT, SortT, Type
from ackproof.model.lower.leaves import Leaf, Leaves
from ackproof.model.renaming import mentions

__all__ = ["Columns", "Entry"]


@dataclass(frozen=True)
class Entry:
    """A part of a column.

    Args:
        leaf: where it is.
        asked: whether the leaf as a whole belongs to the element; or the element is a member of the
            set there; or it is the element there, or the one that is there if any.
    """

    leaf: Leaf
    asked: Literal["whole", "member", "equal", "some"]


@dataclass
class Columns:
    """The columns of the elements of some sorts.

    Args:
        leaves: those of the states of a program.
        sorts: the names of the sorts.
        entries: by sort and by position of an element its column.
        tangled: the sorts that are in a leaf with several elements.
    """

    leaves: Leaves
    sorts: tuple[str, ...]
    entries: dict[tuple[str, int], list[Entry]] = field(default_factory=dict)
    tangled: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for leaf, t in self.leaves.types.items():
            self._note(leaf, t)

    def size(self, sort: str) -> int:
        """Return how many elements a sort has."""
        return len(self.leaves.bound.elements[sort])

    def of(self, sort: str, position: int) -> list[Entry]:
        """Return the column of an element; those of two elements have like entries, in order."""
        return self.entries.get((sort, position), [])

    def _note(self, leaf: Leaf, t: Type) -> None:
        """Put a leaf into the columns of those that it speaks of."""
        at = list(self._at(leaf))
        inside = {name for name in self.sorts if mentions(t, (name,))}
        alone = [(s.name, i) for s, i in at if isinstance(s, SortT) and s.name in self.sorts]
        hidden = {
            n for n in self.sorts for s, _ in at if not isinstance(s, SortT) if mentions(s, (n,))
        }
        if len(alone) == 1 and not inside | hidden:
            self._enter(alone[0], Entry(leaf, "whole"))
        elif not alone and not hidden and (asked := _asked(t)):
            for position in range(self.size(asked[1]) if asked[1] in self.sorts else 0):
                self._enter((asked[1], position), Entry(leaf, asked[0]))
        else:
            self.tangled |= {name for name, _ in alone} | inside | hidden

    def _enter(self, key: tuple[str, int], entry: Entry) -> None:
        self.entries.setdefault(key, []).append(entry)

    def _at(self, leaf: Leaf) -> Iterator[tuple[Type, int]]:
        """Yield the keys of a leaf, and whose variable it is: the types, with positions."""
        bound = self.leaves.bound
        if leaf.location < 0:
            return
        location = bound.locations[leaf.location]
        for sort, element in zip(location.variable.families, location.elements, strict=True):
            yield sort, bound.elements[sort.name].index(element)
        t = location.variable.type
        for key in leaf.keys:
            assert isinstance(t, MapT)
            yield t.key, key
            t = t.value


def _asked(t: Type) -> tuple[Literal["member", "equal", "some"], str] | None:
    """Return what of an element, and of which sort, a leaf says that speaks of one at a time."""
    match t:
        case SetT(SortT(name=name)):
            return "member", name
        case SortT(name=name):
            return "equal", name
        case OptionT(SortT(name=name)):
            return "some", name
    return None
