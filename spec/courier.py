"""The courier: a publisher inside the broker, which passes on what has died in a queue (Q12).

A message dies when it expires, or when a consumer rejects it for good.  A queue that dead-letters
*at least once* does not let go of it then.  It sets it aside, and has a copy published to the
queues where its dead go.  It lets go when those have taken responsibility for the copy.

Whoever does that is a publisher like any other, with a channel in confirm mode.  It differs from a
client in what it makes of the answers: it needs a copy to be somewhere, so that a queue that was
deleted has not taken it (Q12.5), and it has the original still, so that it can always try again.

Here one courier serves all queues; a channel belongs to one queue (`Channel.carries_for`).  What it
knows is lost with the process of the queue (Q12.4): all that is set aside is published once more
then, whatever becomes of the copies that are under way.
"""

from __future__ import annotations

from ackproof.lang import Ghost, Map, Option, Process, Set, handler, helper
from ackproof.spec.sorts import Msg

__all__ = ["Courier"]


class Courier(Process):
    """A publisher of copies, which waits until they are acked (Q12.2)."""

    original: Map[Msg, Option[Msg]]  # the message of which this one is a copy
    out: Set[Msg]  # copies that are under way, or have arrived, and that its queue will hear of
    arrived: Set[Msg]  # those of them that were acked

    abandoned: Ghost[Set[Msg]]  # those sent before their queue's process started again

    @helper
    def on_its_way(self, dead: Msg) -> bool:
        """Tell whether a copy is out, so that none has to be sent (Q12.3)."""
        return any(self.original[k] == dead for k in self.out)

    @handler
    def send(self, msg: Msg, dead: Msg) -> None:
        """Wait for the answer to a copy (Q12.2)."""
        self.original[msg] = dead
        self.out.add(msg)

    @helper
    def named(self, tag: Msg, multiple: bool) -> Set[Msg]:
        """Return the numbers that a frame speaks of, settled ones included (A11.5)."""
        return {m for m in Msg.of(Msg.owner(tag)) if m == tag or (multiple and m < tag)}

    @handler
    def sees_ack(self, tag: Msg, multiple: bool) -> None:
        """Conclude that all queues have these copies (Q12.2)."""
        self.arrived |= self.named(tag, multiple) & self.out

    @handler
    def sees_nack(self, tag: Msg, multiple: bool) -> None:
        """Conclude that some queue has not got these, and that others must be sent (Q12.3)."""
        self.out -= self.named(tag, multiple) - self.arrived

    @handler
    def settled(self, msg: Msg) -> None:
        """The queue has let go of the original (Q12.2)."""
        self.out.discard(msg)
        self.arrived.discard(msg)

    @handler
    def forget(self, msgs: Set[Msg]) -> None:
        """The process of the queue starts again, and knows of no copy (Q12.4)."""
        self.abandoned |= {m for m in msgs if self.original[m] is not None}
        self.out -= msgs
        self.arrived -= msgs
