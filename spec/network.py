"""The network: what the channel has cast and nobody has received, and the news of deaths.

Between two processes messages keep their order; between different senders there is none (O1, O2).
So what is on its way from the channel to a queue is a set that is taken in publish order: the
least first.  What is on its way back, the confirms, waits in the queue's `outbox`.

The channel monitors every queue it casts to (A5.7).  If the queue dies, one DOWN arrives, after
everything that the queue had sent (O1), before or after what other queues send (O3).  If it is
dead already when the channel casts to it, the cast vanishes and a DOWN arrives all the same, with
the reason noproc or noconnection: benign (A5.4, A9).  One DOWN is enough for all that waits.
"""

from __future__ import annotations

from ackproof.spec.lang import Map, Option, Process, Set, handler, helper
from ackproof.spec.sorts import Msg, Queue, Reason

__all__ = ["Network"]


class Network(Process):
    """Messages in flight between the channel and the queues (O1-O3)."""

    publishes: Map[Queue, Set[Msg]]
    downs: Map[Queue, Option[Reason]]

    @helper
    def next_for(self, queue: Queue) -> Option[Msg]:
        """Return the message that reaches the queue next: the oldest on its way (O2)."""
        return min(self.publishes[queue], default=None)

    @handler
    def cast(self, msg: Msg, queue: Queue) -> None:
        """The channel sends a message to a queue (A5.6)."""
        self.publishes[queue].add(msg)

    @handler
    def refuse(self, queue: Queue) -> None:
        """The channel has cast to a process that is gone, and will hear so (A5.4)."""
        if self.downs[queue] is None:
            self.downs[queue] = Reason.BENIGN

    @handler
    def receive(self, msg: Msg, queue: Queue) -> None:
        """A message reaches its queue (O2)."""
        self.publishes[queue].discard(msg)

    @handler
    def end(self, queue: Queue, reason: Reason) -> None:
        """A queue process ends: its mailbox is lost, and the channel will hear of it (O1)."""
        self.publishes[queue].clear()
        self.downs[queue] = reason

    @handler
    def heard(self, queue: Queue) -> None:
        """The channel has processed the DOWN of a queue (A9)."""
        self.downs[queue] = None

    @handler
    def vanish(self) -> None:
        """The broker is gone, and everything between its processes with it (C5)."""
        self.publishes.clear()
        self.downs.clear()
