"""How long a queue may become: the arguments x-max-length, x-max-length-bytes and x-overflow.

The specification limits a queue by a number of messages (B5), and decides by that alone.  A limit
in bytes is turned into one, for the moment at which something is decided: it is as many messages
as there is room for.  What counts are the bodies of what is ready (B5.1, B5.3).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from heapq import merge
from typing import cast

from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_order import PlacedSet, QueueOrder
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.tables import Table
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Msg, Overflow

__all__ = ["LengthLimit"]

_LENGTH, _BYTES, _OVERFLOW = "x-max-length", "x-max-length-bytes", "x-overflow"
_DROP_HEAD, _REJECT_WITH_DEAD_LETTER = "drop-head", "reject-publish-dlx"


class LengthLimit:
    """The limit of one queue; sets the constants of its machine.

    Args:
        machine: of the queue.
        order: of its messages.
        arguments: of the queue, as they were checked.

    Attributes:
        exists: there is a limit; if not, nothing of this matters.
        dead_letters_refused: what is refused is not only refused (B5.5).
    """

    def __init__(self, machine: QueueMaster, order: QueueOrder, arguments: Table) -> None:
        self._machine = machine
        self._order = order
        self._messages: int | None = arguments.get(_LENGTH)
        self._bytes: int | None = arguments.get(_BYTES)
        self._ready_bytes = 0
        self.exists = self._messages is not None or self._bytes is not None
        overflow = arguments.get(_OVERFLOW, _DROP_HEAD)
        self.dead_letters_refused = overflow == _REJECT_WITH_DEAD_LETTER
        machine.limited = self.exists
        if overflow != _DROP_HEAD:
            machine.overflow = Overflow.REJECT_PUBLISH

    def expect(self, coming: Collection[Msg]) -> None:
        """Messages are about to be ready: set the limit that they meet."""
        size = sum(len(content_of(msg).body) for msg in coming)
        excess = 0 if self._bytes is None else self._ready_bytes + size - self._bytes
        most = len(self._machine.ready) + len(coming)
        if excess > 0 and self._machine.overflow is Overflow.REJECT_PUBLISH:
            most = len(self._machine.ready)
        elif excess > 0:
            most -= self._too_many(coming, excess)
        self._machine.max_length = most if self._messages is None else min(most, self._messages)

    def _too_many(self, coming: Iterable[Msg], excess: int) -> int:
        """Return how many of the first messages have to go, for there are so many bytes too many.

        Args:
            coming: those that are about to be ready.
            excess: bytes.
        """
        places, new = self._order.places, self._order.next_place
        standing = cast(PlacedSet, self._machine.ready)
        ready = ((places[msg], msg) for msg in standing.ascending())
        others = sorted((places[msg] if msg in places else new(msg), msg) for msg in coming)
        gone = 0
        for _, msg in merge(ready, others):
            if excess <= 0:
                break
            excess -= len(content_of(msg).body)
            gone += 1
        return gone

    @contextmanager
    def reached(self) -> Iterator[None]:
        """The queue has no room at all, and refuses what comes (B5.3)."""
        machine = self._machine
        before = machine.limited, machine.max_length, machine.overflow
        machine.limited, machine.max_length = True, 0
        machine.overflow = Overflow.REJECT_PUBLISH
        try:
            yield
        finally:
            machine.limited, machine.max_length, machine.overflow = before

    def enters(self, message: Message) -> None:
        """A message is ready from now on."""
        self._ready_bytes += len(message.body)

    def leaves(self, message: Message) -> None:
        """A message is not ready any more."""
        self._ready_bytes -= len(message.body)

    def recount(self) -> None:
        """The queue has begun anew."""
        self._ready_bytes = sum(len(content_of(msg).body) for msg in self._machine.ready)
