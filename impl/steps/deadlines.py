"""Time: what has to happen when, without asking what time it is.

The broker gets its clock from outside, a function that returns seconds since 1970, and says when
it has to be called again; it never waits.  A queue has one deadline: the moment at which something
of it may be due; and so has a channel that has delivered something.  It is set as early as
something may be, and looked at then; that it was too early does no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic, Protocol, TypeVar

__all__ = ["Clock", "Deadlines", "TimedChannel"]

#: Returns seconds since 1970.
Clock = Callable[[], float]
T = TypeVar("T")

#: Deadlines out of date that are kept, besides as many as there are others.
_OUT_OF_DATE = 64


class TimedChannel(Protocol):
    """A channel whose client has deliveries to settle."""

    def check_consumer_timeout(self) -> None:
        """See whether one of them has been unsettled for too long (F3.4)."""


class Deadlines(Generic[T]):
    """The deadlines of queues or channels, one for each that has one."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, T]] = []
        self._of: dict[T, float] = {}
        self._order = count()

    def set(self, one: T, when: float) -> None:
        """Look at one at this time, unless it is to be looked at before."""
        if when < self._of.get(one, float("inf")):
            self._of[one] = when
            heappush(self._heap, (when, next(self._order), one))
            self._tidy()

    def forget(self, one: T) -> None:
        """One is gone, and is not to be looked at any more."""
        if self._of.pop(one, None) is not None:
            self._tidy()

    def _tidy(self) -> None:
        """Drop what is out of date, if it is most of the heap; it would hold queues that are gone.

        A deadline may be weeks away, and a client may declare and delete queues all that time.
        """
        if len(self._heap) > _OUT_OF_DATE + 2 * len(self._of):
            self._heap = [entry for entry in self._heap if self._of.get(entry[2]) == entry[0]]
            heapify(self._heap)

    @property
    def next(self) -> float | None:
        """Return when the first one is to be looked at, in seconds; None if none is."""
        heap = self._heap
        while heap and self._of.get(heap[0][2]) != heap[0][0]:
            heappop(heap)
        return heap[0][0] if heap else None

    def due(self, now: float) -> list[T]:
        """Return those to be looked at by now, and forget their deadlines."""
        found = []
        while (when := self.next) is not None and when <= now:
            _, _, one = heappop(self._heap)
            del self._of[one]
            found.append(one)
        return found
