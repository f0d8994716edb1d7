"""The order of messages in the broker: that of their ids.

The specification numbers messages by channel, so its machines have to remember which messages of
other channels came before one (`Arrivals`).  The broker takes all ids from one counter
(`publishing_machines`), and what a master tells its mirrors it counts as well (`queue_processes`).
So a number alone says where its message stands: the first of a set is its least, and nothing has to
be remembered.  An `OrderedSet` has its least at hand, however many messages are in it.  In a queue
with priorities the ids compare by these first (`message_priorities`), and all else is the same.

An id is taken when its message is published.  So where messages of two channels overtake each other
on their way to a queue, they stand there in the order in which they were published.
"""

from __future__ import annotations

from ackproof.lang import Option, Set, least
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.sorts import Msg

__all__ = ["IdOrder"]


class IdOrder(Arrivals):
    """Who came before whom, where every message has a number of its own (B7.2, INV-B4)."""

    def before(self, one: Msg, other: Msg) -> bool:
        """Tell whether one message stands before the other (INV-B4)."""
        return one < other

    def first(self, among: Set[Msg]) -> Option[Msg]:
        """Return the first of some messages; None if there are none (INV-B4)."""
        return least(among)

    def last(self, among: Set[Msg]) -> Option[Msg]:
        """Return the last of some messages; None if there are none."""
        return max(among, default=None)

    def arrive(self, msg: Msg, present: Set[Msg]) -> None:
        """The number of a message says where it stands (B1.3)."""

    def leave(self, msgs: Set[Msg]) -> None:
        """Nothing was remembered of them (C4.4)."""

    def keep(self, present: Set[Msg]) -> None:
        """Nor of others (C5)."""
