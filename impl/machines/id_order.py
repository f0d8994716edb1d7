"""The order of what a master tells its mirrors: that of its numbers.

The specification remembers for each message which ones of other channels came before one
(`Arrivals`).  What a master tells, the broker counts (`queue_processes`), and the machines know it
by that count.  So a number alone says what was told first: it is the least, and nothing has to be
remembered.
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
