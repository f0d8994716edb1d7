"""The retrier: a program that publishes again until it is told that a message is safe.

A nack says that nobody takes responsibility, and not that nobody has the message (INV-A12).  A
channel that ends leaves unknown whatever it had not settled (A14.3).  A program that wants its
messages to arrive publishes those again, on the channel that is open: as another message with
another number, since the broker tells copies apart and removes none (C5.3).  It stops when one copy
is acked.

So it may publish a message that arrived long ago.  Its consumers get it twice, and the second time
behind messages that were published after it.  What it need not fear is that a message gets lost.

A broker that is told which message is whose copy could do better.  RabbitMQ is not told; `original`
is what a design would be told.
"""

from __future__ import annotations

from ackproof.lang import Map, Option, Process, Set, handler
from ackproof.spec.sorts import ChannelId, Msg, Queue

__all__ = ["Retrier"]


class Retrier(Process):
    """A program that publishes on all channels, and again what was not acked (A14.3, C5.3)."""

    pending: Set[Msg]  # published, and no ack has come, nor was a copy published
    due: Set[Msg]  # those that were nacked, or left unknown by a channel that ended
    routes: Map[Msg, Set[Queue]]  # where a message is to go
    mandatory: Set[Msg]
    original: Map[Msg, Option[Msg]]  # the first message of which this one is a copy

    @handler
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool) -> None:
        """Wait for the answer to a message (A11.5)."""
        self.pending.add(msg)
        self.routes[msg] = set(targets)
        if mandatory:
            self.mandatory.add(msg)

    @handler
    def repeat(self, msg: Msg, copied: Msg) -> None:
        """Wait for the answer to a copy, in place of that to another message (C5.3)."""
        self.pending.discard(copied)
        self.due.discard(copied)
        first = self.original[copied]
        self.original[msg] = copied if first is None else first

    @handler
    def sees_ack(self, named: Set[Msg]) -> None:
        """Conclude that these messages are safe, and done with (A11.5)."""
        self.pending -= named - self.due

    @handler
    def sees_nack(self, named: Set[Msg]) -> None:
        """Conclude that these messages have to be published again (INV-A12)."""
        self.due |= named & self.pending

    @handler
    def loses(self, channel: ChannelId) -> None:
        """Conclude the same of all that a channel leaves unknown (A14.3)."""
        self.due |= {m for m in self.pending if Msg.owner(m) == channel}
