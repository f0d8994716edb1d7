"""The order in which messages of several channels stand in a queue.

Messages of one channel are numbered as they were published, and keep that order on every way that
they take (O2).  Between messages of two channels there is no order until they meet: which one
arrives first at a queue decides, and a message that comes back returns to its old place (B7.2).  So
what has to be remembered is, for each message that is present, which messages of *other* channels
came before it.  With one channel that is nothing.

Every message that is present has a place, and two messages of different channels always know which
of them came first: so of any set of them one is the first.
"""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Map, Option, Process, Range, Set, handler, helper
from ackproof.spec.sorts import Msg

__all__ = ["Arrivals", "Length"]

#: How many messages a queue may hold.
Length = Annotated[int, Range(0, 2_147_483_647)]


class Arrivals(Process):
    """Who came before whom, among what is present (B7.2, INV-B4, O2)."""

    ahead: Map[Msg, Set[Msg]]  # those of other channels that came before a message

    @helper
    def before(self, one: Msg, other: Msg) -> bool:
        """Tell whether one of two messages that are present stands before the other (INV-B4)."""
        if Msg.owner(one) == Msg.owner(other):
            return one < other
        return one in self.ahead[other]

    @helper
    def first(self, among: Set[Msg]) -> Option[Msg]:
        """Return the first of some messages that are present; None if there are none (INV-B4)."""
        return min({m for m in among if not self.ahead[m] & among}, default=None)

    @helper
    def surplus(self, among: Set[Msg], most: Length) -> Set[Msg]:
        """Return the first of some messages, all but so many (B5.2)."""
        return {m for m in among if len({k for k in among if not self.before(k, m)}) > most}

    @handler
    def arrive(self, msg: Msg, present: Set[Msg]) -> None:
        """A message comes after all that are present (B1.3)."""
        self.ahead[msg] = {m for m in present if Msg.owner(m) != Msg.owner(msg)}

    @handler
    def stand(self, msg: Msg, behind: Set[Msg]) -> None:
        """A message gets the place that it has elsewhere: behind these of other channels (D7.3)."""
        self.ahead[msg] = set(behind)

    @handler
    def leave(self, msgs: Set[Msg]) -> None:
        """Messages are present no more, and have no place (C4.4)."""
        for msg in set(self.ahead):
            if msg in msgs:
                self.ahead[msg].clear()
            else:
                self.ahead[msg] -= msgs

    @handler
    def keep(self, present: Set[Msg]) -> None:
        """Of all messages only these are still present (C5)."""
        for msg in set(self.ahead):
            if msg in present:
                self.ahead[msg] &= present
            else:
                self.ahead[msg].clear()
