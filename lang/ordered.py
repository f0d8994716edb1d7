"""A set that knows its least element, for programs that run a machine for long.

A specification says `least(self.ready)`, and over a set of four elements nobody minds that every
element is looked at.  A queue with a million messages is asked for its head a million times.  A
program may therefore give a machine an `OrderedSet` where the specification declares a set of an
ordered sort.  It is a set in every respect; what it has besides is a heap of everything that was
ever added.

An element that leaves the set stays in the heap until it comes to the top or the heap has become
much larger than the set, so removing costs what it costs in any set.

    >>> ready = OrderedSet([3, 1, 2])
    >>> ready.discard(1); least(ready)
    2
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

from ackproof.lang.sorts import OrderedSort

__all__ = ["OrderedSet", "least"]

T = TypeVar("T")

#: How many departed elements a heap may hold beyond the number of those that are there.
_SLACK = 64


class OrderedSet(set[T]):
    """A set of an ordered sort with its least element at hand."""

    __slots__ = ("_heap",)

    def __init__(self, items: Iterable[T] = ()) -> None:
        super().__init__(items)
        self._heap: list[Any] = sorted(self)

    def add(self, item: T) -> None:
        if item not in self:
            set.add(self, item)
            heap = self._heap
            heappush(heap, item)
            if len(heap) > 2 * len(self) + _SLACK:
                self._rebuild()

    def copy(self) -> OrderedSet[T]:
        return OrderedSet(self)

    def update(self, *others: Iterable[T]) -> None:
        super().update(*others)
        self._rebuild()

    def symmetric_difference_update(self, other: Iterable[T]) -> None:
        super().symmetric_difference_update(other)
        self._rebuild()

    def __ior__(self, other: AbstractSet[T]) -> OrderedSet[T]:  # type: ignore[override, misc]
        if isinstance(other, set | frozenset) and len(other) < len(self):
            for item in other:
                self.add(item)
        else:
            self.update(other)
        return self

    def __ixor__(self, other: AbstractSet[T]) -> OrderedSet[T]:  # type: ignore[override, misc]
        self.symmetric_difference_update(other)
        return self

    def __reduce__(self) -> Any:
        return (set, (list(self),))

    def least(self) -> T | None:
        """Return the least element, None if there is none; what has left comes off the heap."""
        heap = self._heap
        while heap and heap[0] not in self:
            heappop(heap)
        return heap[0] if heap else None

    def _rebuild(self) -> None:
        self._heap = list(self)
        heapify(self._heap)


def least(items: Iterable[T] | type[T]) -> T | None:
    """Return the least element of a set of an ordered sort, or None if the set is empty.

    It is `min(items, default=None)`; an `OrderedSet` need not look at every element.  Of a sort it
    is the first element, None if an instance has none; natively there always is one.
    """
    smallest: Any
    if isinstance(items, OrderedSet):
        smallest = items.least()
    elif isinstance(items, type):
        sort: Any = items
        assert issubclass(sort, OrderedSort), f"{sort} has no order"
        smallest = sort.first() if sort.elements is None else min(sort.elements, default=None)
    else:
        smallest = min(items, default=None)  # type: ignore[type-var]
    return smallest  # type: ignore[no-any-return]
