"""The publisher: counts what it sends, and draws conclusions from what it is told.

A client numbers its publishes from 1, starting when it asks for confirm mode, and never hears a
number from the broker before the first ack (A4.3).  If broker and client disagree by one, every
confirm is taken for another message; so the client's own count is a variable of its own here.

For each number it can conclude one of five things (J, A14.3):

* *unknown*: nothing was heard; if the channel closes it stays so, and the message may or may not
  be in the queues;
* *confirmed*, *nacked*: an ack or a nack covers it;
* *returned*, and later *returned and confirmed*: it was mandatory and found no queue.

A frame with `multiple` covers every number up to its tag that is still unknown (A11.5).  A frame
that names a number which is not unknown is the broker's mistake; the publisher believes it all the
same, so that the mistake can be seen.

All of this is history: what a client knows, no broker can ask.
"""

from __future__ import annotations

from ackproof.lang import Ghost, Option, Process, Set, handler, helper
from ackproof.spec.sorts import Msg

__all__ = ["Publisher"]


class Publisher(Process):
    """A client that publishes on one channel in confirm mode (A11.5, A14.3)."""

    next_tag: Ghost[Option[Msg]] = Msg.first()  # the number that the next publish will have
    sent: Ghost[Set[Msg]]  # those published since confirm mode was asked for
    confirmed: Ghost[Set[Msg]]  # those that an ack covers, as the publisher counts
    nacked: Ghost[Set[Msg]]  # those that a nack covers
    returned: Ghost[Set[Msg]]  # those that came back
    returned_late: Ghost[Set[Msg]]  # those returned after their ack or nack

    @helper
    def unknown(self) -> Set[Msg]:
        """Return the numbers of which nothing was heard (A14.3)."""
        return self.sent - self.confirmed - self.nacked

    @handler
    def publish(self) -> None:
        """Send a message, and expect a confirm for the next number (A4.3)."""
        tag = self.next_tag
        if tag is not None:
            self.sent.add(tag)
            self.next_tag = Msg.succ(tag)

    @handler
    def skip(self) -> None:
        """Send a message before counting begins (A7.1)."""
        tag = self.next_tag
        if tag is not None:
            self.next_tag = Msg.succ(tag)

    @helper
    def earlier(self, tag: Msg, multiple: bool) -> Set[Msg]:
        """Return the numbers before `tag` that a frame speaks of, settled ones included (A11.5)."""
        return {m for m in self.sent if multiple and m < tag}

    @handler
    def sees_ack(self, tag: Msg, multiple: bool) -> None:
        """Conclude that these messages are the broker's responsibility now (A11.5)."""
        self.confirmed |= (self.earlier(tag, multiple) - self.nacked) | {tag}

    @handler
    def sees_nack(self, tag: Msg, multiple: bool) -> None:
        """Conclude that these messages may have to be published again (A11.5, INV-A12)."""
        self.nacked |= (self.earlier(tag, multiple) - self.confirmed) | {tag}

    @handler
    def sees_return(self, msg: Msg) -> None:
        """Conclude that this message reached no queue; its confirm is still to come (A6.7)."""
        if msg not in self.unknown():
            self.returned_late.add(msg)
        self.returned.add(msg)
