"""The courier: a publisher inside the broker, which passes on what has died in a queue (Q12).

A message dies when it expires, or when a consumer rejects it for good (or, not covered here, when
it was handed out too often).  A queue that dead-letters *at least once* does not let go of it then.
It sets it aside, and has a copy published to the queues where its dead go.  It lets go when those
have taken responsibility for the copy.

Whoever does that is a publisher like any other, with a channel in confirm mode, and reads acks and
nacks as any other does.  It differs from a client in what it makes of them: it needs a copy to be
somewhere, so that a queue that was deleted has not taken it (Q12.5), and it has the original still,
so that it can always try again (Q12.3).  RabbitMQ's leaves out the queues that have confirmed a
copy before, and may be left with nobody to send to (G-E3); this one hears from its channel that
some queue has not, and sends to all.

Here one courier serves all queues; a channel belongs to one queue (`Channel.carries_for`).  What it
knows is lost with the process of the queue (Q12.4): all that is set aside is published once more
then, whatever becomes of the copies that are under way.
"""

from __future__ import annotations

from ackproof.lang import Map, Option, Process, Set, handler
from ackproof.spec.sorts import Msg

__all__ = ["Courier"]


class Courier(Process):
    """A publisher of copies, which waits until they are acked (Q12.2)."""

    original: Map[Msg, Option[Msg]]  # the message of which this one is a copy
    acked: Set[Msg]
    nacked: Set[Msg]
    abandoned: Set[Msg]  # the copies whose answer nobody waits for any more

    @handler
    def send(self, msg: Msg, dead: Msg) -> None:
        """Wait for the answer to a copy (Q12.2)."""
        self.original[msg] = dead

    @handler
    def sees_ack(self, named: Set[Msg]) -> None:
        """Conclude that all queues have these copies (Q12.2)."""
        self.acked |= named - self.nacked

    @handler
    def sees_nack(self, named: Set[Msg]) -> None:
        """Conclude that some queue has not got these, and that others must be sent (Q12.3)."""
        self.nacked |= named - self.acked

    @handler
    def forget(self, msgs: Set[Msg]) -> None:
        """The process of the queue starts again, and knows of no copy (Q12.4)."""
        self.abandoned |= {m for m in msgs if self.original[m] is not None}
