"""Retrying: what is not known to be safe is published again.

To the broker that is a publish like any other (C5.3): it goes through the same steps, and nothing
that the broker promises of one message says anything of two.  What a publisher wants is said of the
two, though: that its message gets there, at least once.  Retries are what makes of confirms a
promise to a program, and duplicates are their price; so both are here.

The program knows what it has sent and what it was told, and nothing else.  It publishes again what
was nacked, and what an ended channel left unknown, in any order and after any time, on any channel
that is in confirm mode; to the queues that the message was for, as far as they are there.
"""

from __future__ import annotations

from ackproof.lang import action, require
from ackproof.spec.publishing import Publishing
from ackproof.spec.sorts import Msg

__all__ = ["Retrying"]


class Retrying(Publishing):
    """Messages are published again (A14.3, C5.3)."""

    @action(fair="weak")
    def publish_again(self, msg: Msg, copied: Msg) -> None:
        """A message that may be lost is published again, as another one (A14.3, C5.3)."""
        require(self.retrying and copied in self.retrier.due)
        targets = {q for q in self.retrier.routes[copied] if self.exists(q)}
        mandatory = copied in self.retrier.mandatory
        self.process_publish(msg, targets, mandatory, copied in self.persistent)
        self.retrier.repeat(msg, copied)
