"""Priorities of messages: the argument x-max-priority.

The specification hands out the least message of a queue, and leaves it to the sort of messages what
that means (INV-B4).  Where nobody speaks of priorities, ids are numbers in the order of publishing.
In a queue with priorities an id is the same number, and equal to it, but comes before all of a
lower priority.  Everything that the machines decide by order follows from that, and nothing else
changes: the head of the queue, the place that a message returns to, and what a full queue drops.
That is its head, as always, so the highest priority goes first, as RabbitMQ has it.
"""

from __future__ import annotations

from typing import cast

from ackproof.impl.wire.content import Message
from ackproof.impl.wire.encoded_fields import split_properties
from ackproof.spec.sorts import Msg

__all__ = ["MessagePriorities"]


class _Ranked(int):
    """An id that comes before all of a lower priority, and after all of a higher one."""

    priority: int

    def _order(self) -> tuple[int, int]:
        return -self.priority, int(self)

    def __lt__(self, other: int) -> bool:
        return self._order() < cast(_Ranked, other)._order()

    def __gt__(self, other: int) -> bool:
        return self._order() > cast(_Ranked, other)._order()

    def __le__(self, other: int) -> bool:
        return self._order() <= cast(_Ranked, other)._order()

    def __ge__(self, other: int) -> bool:
        return self._order() >= cast(_Ranked, other)._order()


class MessagePriorities:
    """The priorities of one queue.

    Args:
        most: the highest priority; whoever asks for a higher one gets this.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def rank(self, msg: Msg, message: Message) -> Msg:
        """Return the id that a message has in this queue."""
        ranked = _Ranked(cast(int, msg))
        asked = split_properties(message.properties).get("priority", b"\0")[0]
        ranked.priority = min(asked, self._most)
        return cast(Msg, ranked)
