"""The publisher: counts what it sends, and draws conclusions from what it is told.

A client numbers its publishes from 1, starting when it asks for confirm mode, and never hears a
number from the broker before the first ack (A4.3).  If broker and client disagree by one, every
confirm is taken for another message; so the client's own count is a variable of its own here.

For each number it can conclude one of five things (J, A14.3):

* *unknown*: nothing was heard; if the channel closes it stays so, and the message may or may not
  be in the queues;
* *confirmed*, *nacked*: an ack or a nack covers it;
* *returned*, and later *returned and confirmed*: it was mandatory and found no queue.

A frame with `multiple` covers every number up to its tag that is still unknown (A11.5).  What a
correct broker never does is recorded too: a tag that is settled twice, a return that comes after
the ack.
"""

from __future__ import annotations

from ackproof.spec.lang import Ghost, Option, Process, Set, handler, helper, require
from ackproof.spec.sorts import Msg

__all__ = ["Publisher"]


class Publisher(Process):
    """A client that publishes on one channel in confirm mode (A11.5, A14.3)."""

    next_tag: Option[Msg] = Msg.first()
    unknown: Set[Msg]

    confirmed: Ghost[Set[Msg]]
    nacked: Ghost[Set[Msg]]
    returned: Ghost[Set[Msg]]
    told_twice: Ghost[Set[Msg]]
    told_too_early: Ghost[Set[Msg]]

    @handler
    def publish(self) -> None:
        """Send a message, and expect a confirm for the next number (A4.3)."""
        require(self.next_tag is not None)
        tag = self.next_tag
        if tag is not None:
            self.unknown.add(tag)
            self.next_tag = Msg.succ(tag)

    @helper
    def covered(self, tag: Msg, multiple: bool) -> Set[Msg]:
        """Return the numbers that a frame speaks of (A11.5)."""
        return {m for m in self.unknown if multiple and m <= tag} | {tag}

    @handler
    def sees_ack(self, tag: Msg, multiple: bool) -> None:
        """Conclude that these messages are the broker's responsibility now."""
        meant = set(self.covered(tag, multiple))
        if tag not in self.unknown:
            self.told_twice.add(tag)
        self.confirmed |= meant
        self.unknown -= meant

    @handler
    def sees_nack(self, tag: Msg, multiple: bool) -> None:
        """Conclude that these messages may have to be published again."""
        meant = set(self.covered(tag, multiple))
        if tag not in self.unknown:
            self.told_twice.add(tag)
        self.nacked |= meant
        self.unknown -= meant

    @handler
    def sees_return(self, msg: Msg) -> None:
        """Conclude that this message reached no queue; its confirm is still to come (A6.7)."""
        if msg not in self.unknown:
            self.told_too_early.add(msg)
        self.returned.add(msg)
