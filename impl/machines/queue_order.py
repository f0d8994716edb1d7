"""The order of messages in a queue, by a place that each gets as it arrives.

The specification remembers for each message which ones of other channels came before it, since it
numbers messages by channel (`Arrivals`).  A program numbers the arrivals: the place of a message
says where it stands among all others, and nothing has to be looked at to give it one.

In a queue with priorities (the argument x-max-priority) a place is the priority before it is the
number.  Whatever the machines decide by order follows from that, and nothing else changes: the head
of the queue, the place that a message returns to, and what a full queue drops.  That is its head,
as always, so the highest priority goes first, as RabbitMQ has it.

A `PlacedSet` has its first element at hand, however many messages are in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush, nsmallest
from itertools import islice
from typing import Any

from ackproof.impl.machines.publication import content_of
from ackproof.impl.wire.encoded_fields import split_properties
from ackproof.lang import Option, Set
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.sorts import Msg

__all__ = ["PlacedSet", "QueueOrder"]

#: The lowest bits of a place: which arrival it was.
_ARRIVAL_BITS = 48

#: How many elements that have left a heap may hold beyond the number of those that are there.
_SLACK = 64


class QueueOrder(Arrivals):
    """Who came before whom in one queue (B7.2, INV-B4).

    Attributes:
        places: of the messages that have one.
        most: the highest priority; whoever asks for a higher one gets this.
    """

    most: int = 0

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.places: dict[Msg, int] = {}
        self._arrived = 0

    def before(self, one: Msg, other: Msg) -> bool:
        """Tell whether one of two messages that are present stands before the other (INV-B4)."""
        return self.places[one] < self.places[other]

    def first(self, among: Set[Msg]) -> Option[Msg]:
        """Return the first of some messages that are present; None if there are none (INV-B4)."""
        if isinstance(among, PlacedSet):
            return among.first()
        return min(among, key=self.places.__getitem__, default=None)

    def surplus(self, among: Set[Msg], most: int) -> Set[Msg]:
        """Return the first of some messages, all but so many (B5.2)."""
        extra = max(len(among) - most, 0)
        if isinstance(among, PlacedSet):
            return set(islice(among.ascending(), extra))
        return set(nsmallest(extra, among, key=self.places.__getitem__))

    def arrive(self, msg: Msg, present: Set[Msg]) -> None:
        """A message comes after all of its priority that are present (B1.3)."""
        self.places[msg] = self.next_place(msg)
        self._arrived += 1

    def next_place(self, msg: Msg) -> int:
        """Return the place that a message gets if it is the next to arrive."""
        rank = self.rank(msg) << _ARRIVAL_BITS if self.most else 0
        return rank | self._arrived + 1

    def rank(self, msg: Msg) -> int:
        """Return how far below the highest priority a message is."""
        if not self.most:
            return 0
        asked = split_properties(content_of(msg).properties).get("priority", b"\0")[0]
        return self.most - min(asked, self.most)

    def stand(self, msg: Msg, behind: Set[Msg]) -> None:
        """A message gets the place that it has elsewhere: `take` has given it that (D7.3)."""

    def leave(self, msgs: Set[Msg]) -> None:
        """Messages are present no more, and have no place (C4.4)."""
        for msg in msgs:
            self.places.pop(msg, None)

    def keep(self, present: Set[Msg]) -> None:
        """Of all messages only these are still present (C5)."""
        self.places = {msg: place for msg, place in self.places.items() if msg in present}

    def take(self, places: dict[Msg, int]) -> None:
        """Let messages stand where they stood before (C5.1, D7.3)."""
        self.places.update(places)
        last = (1 << _ARRIVAL_BITS) - 1
        self._arrived = max(self._arrived, *(place & last for place in places.values()), 0)


class PlacedSet(set[Msg]):
    """A set of messages that knows the first of them, by the order of their queue.

    The place of a message that leaves the set stays in a heap until it comes to the top or the heap
    has become much larger than the set, so that to remove one costs what it costs in any set.  The
    message itself is let go of at once, and its content with it.
    """

    __slots__ = ("_at", "_heap", "_noted", "_order")

    def __init__(self, order: QueueOrder, items: Iterable[Msg] = ()) -> None:
        super().__init__()
        self._order = order
        self._at: dict[int, Msg] = {}
        self._heap: list[int] = []
        self._noted: list[tuple[int, Msg]] | None = None
        self.update(items)

    def note(self) -> None:
        """Remember what leaves from now on."""
        self._noted = []

    def noted(self) -> list[Msg]:
        """Return what has left since `note`, the first first, and remember nothing any more."""
        noted, self._noted = self._noted, None
        return [msg for _, msg in sorted(noted or ())]

    def add(self, item: Msg) -> None:
        if item not in self:
            set.add(self, item)
            place = self._order.places[item]
            self._at[place] = item
            heappush(self._heap, place)
            if len(self._heap) > 2 * len(self) + _SLACK:
                self._heap = list(self._at)
                heapify(self._heap)

    def discard(self, item: object) -> None:
        if item in self:
            set.discard(self, item)
            place = self._order.places[item]  # type: ignore[index]
            msg = self._at.pop(place)
            if self._noted is not None:
                self._noted.append((place, msg))

    def remove(self, item: Msg) -> None:
        if item not in self:
            raise KeyError(item)
        self.discard(item)

    def clear(self) -> None:
        set.clear(self)
        self._at.clear()
        self._heap.clear()

    def update(self, *others: Iterable[Msg]) -> None:
        for other in others:
            for item in other:
                self.add(item)

    def difference_update(self, *others: Iterable[Any]) -> None:
        for other in others:
            for item in list(other):
                self.discard(item)

    def __ior__(self, other: AbstractSet[Msg]) -> PlacedSet:  # type: ignore[override, misc]
        self.update(other)
        return self

    def __isub__(self, other: AbstractSet[Any]) -> PlacedSet:  # type: ignore[misc]
        self.difference_update(other)
        return self

    def __iand__(self, other: AbstractSet[Any]) -> PlacedSet:  # type: ignore[misc]
        self.difference_update(set(self) - other)
        return self

    def move(self, item: Msg, place: int) -> None:
        """An element that stood at a place has another one by now."""
        del self._at[place]
        set.discard(self, item)
        self.add(item)

    def first(self) -> Option[Msg]:
        """Return the first element, None if there is none; what has left comes off the heap."""
        heap, at = self._heap, self._at
        while heap:
            msg = at.get(heap[0])
            if msg is not None:
                return msg
            heappop(heap)
        return None

    def sorted(self) -> list[Msg]:
        """Return the elements in the order of their queue."""
        return [self._at[place] for place in sorted(self._at)]

    def ascending(self) -> Iterator[Msg]:
        """Yield the elements in the order of their queue; the first ones cost little."""
        heap, last = self._heap, -1
        waiting = [(heap[0], 0)] if heap else []
        while waiting:
            place, index = heappop(waiting)
            for child in (2 * index + 1, 2 * index + 2):
                if child < len(heap):
                    heappush(waiting, (heap[child], child))
            msg = self._at.get(place)
            if msg is not None and place != last:  # one that came back is in the heap twice
                last = place
                yield msg
