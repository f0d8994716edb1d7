"""The network: what is between the channel and the processes of the queues.

Between two processes messages keep their order; between different senders there is none (O1, O2).
So what is on its way from the channel to a queue is a set that is taken in publish order: the
least first.  What is on its way back, confirms and rejects, waits in the queue's `outbox` and
`refused`.  A mailbox is not modelled apart from the wire, so the priorities with which a process
takes what lies in its mailbox (O3) say nothing new: what it would take later may as well arrive
later, and what it would take first may arrive first.

The channel monitors every process it casts to (A5.7).  If it dies, one DOWN arrives, after
everything that it had sent (O1), before or after what others send (O3).  If it is dead already when
the channel casts to it, the cast vanishes and a DOWN arrives all the same, with the reason noproc
or noconnection: benign (A5.4, A9).  One DOWN is enough for all that waits.

A master tells its mirrors what it does by *multicast* (D1.3, D2.1): that it published a message,
that it dealt with one without publishing it, that one has left the queue.  Each mirror gets all of
that in order.  Publishes and discards come in publish order, so again a set says all; of what has
left, only that it comes after the publish matters.

When a master dies, its mirrors may have got less than it sent, but no two of them differ: what one
of them got, each gets, before it learns of the death (D1.3).  `equalise` says so.  It loses all
that nobody got; a mirror that would have got some of it, had got it just before.
"""

from __future__ import annotations

from ackproof.spec.lang import Map, Option, Process, Set, handler, helper
from ackproof.spec.sorts import Msg, Reason, Replica

__all__ = ["Network"]


class Network(Process):
    """Messages in flight between the channel and the processes of the queues (O1-O3, D1.3)."""

    publishes: Map[Replica, Set[Msg]]
    downs: Map[Replica, Option[Reason]]

    copies: Map[Replica, Set[Msg]]  # multicast: published by the master
    discards: Map[Replica, Set[Msg]]  # dealt with, and in no queue
    refusals: Map[Replica, Set[Msg]]  # refused, and in no queue
    removals: Map[Replica, Set[Msg]]  # gone from the queue
    missed: Map[Replica, Set[Msg]]  # what was multicast before a mirror joined

    # -- between the channel and a process ------------------------------------------------------

    @helper
    def next_for(self, replica: Replica) -> Option[Msg]:
        """Return the message that reaches a process next: the oldest on its way (O2)."""
        return min(self.publishes[replica], default=None)

    @handler
    def cast(self, msg: Msg, replica: Replica) -> None:
        """The channel sends a message to a process (A5.6)."""
        self.publishes[replica].add(msg)

    @handler
    def refuse(self, replica: Replica) -> None:
        """The channel has cast to a process that is gone, and will hear so (A5.4)."""
        if self.downs[replica] is None:
            self.downs[replica] = Reason.BENIGN

    @handler
    def receive(self, msg: Msg, replica: Replica) -> None:
        """A message reaches its process (O2)."""
        self.publishes[replica].discard(msg)

    @handler
    def end(self, replica: Replica, reason: Reason) -> None:
        """A process ends: its mailbox is lost, and the channel will hear of it, once (O1, A9)."""
        self.publishes[replica].clear()
        self.copies[replica].clear()
        self.discards[replica].clear()
        self.refusals[replica].clear()
        self.removals[replica].clear()
        if self.downs[replica] is None:
            self.downs[replica] = reason

    @handler
    def heard(self, replica: Replica) -> None:
        """The channel has processed the DOWN of a process (A9)."""
        self.downs[replica] = None

    @handler
    def vanish(self) -> None:
        """The broker is gone, and everything between its processes with it (C5)."""
        self.publishes.clear()
        self.downs.clear()
        self.copies.clear()
        self.discards.clear()
        self.refusals.clear()
        self.removals.clear()

    # -- between a master and its mirrors -------------------------------------------------------

    @helper
    def next_from_master(self, replica: Replica) -> Option[Msg]:
        """Return the message of which a mirror learns next (D1.4, INV-D1)."""
        return min(self.coming(replica), default=None)

    @helper
    def silent(self, replica: Replica) -> bool:
        """Tell whether nothing is on its way to a mirror from its master (D1.3)."""
        told = bool(self.copies[replica]) or bool(self.discards[replica])
        return not told and not self.refusals[replica] and not self.removals[replica]

    @handler
    def learnt(self, msg: Msg, replica: Replica) -> None:
        """A mirror has learnt what became of a message (D4.6-D4.11)."""
        self.copies[replica].discard(msg)
        self.discards[replica].discard(msg)
        self.refusals[replica].discard(msg)

    @handler
    def removed(self, msg: Msg, replica: Replica) -> None:
        """A mirror has learnt that a message left the queue (D4.15)."""
        self.removals[replica].discard(msg)

    @handler
    def join(self, replica: Replica, others: Set[Replica]) -> None:
        """A mirror joins those of its queue: what is on its way to them passes it by (D1.2)."""
        self.missed[replica].clear()
        for other in others:
            self.missed[replica] |= self.coming(other) | self.removals[other]

    @helper
    def coming(self, replica: Replica) -> Set[Msg]:
        """Return the messages whose fate is on its way to a mirror (D2.1)."""
        return self.copies[replica] | self.discards[replica] | self.refusals[replica]

    @helper
    def has_got(self, replica: Replica, msg: Msg) -> bool:
        """Tell whether a mirror knows what became of a message, and not by joining later (D1.3)."""
        published = msg in self.copies[replica]
        to_come = published or msg in self.discards[replica] or msg in self.refusals[replica]
        return not to_come and msg not in self.missed[replica]

    @helper
    def has_heard(self, replica: Replica, msg: Msg) -> bool:
        """Tell whether a mirror knows that a message has left, if it has (D4.15)."""
        return msg not in self.removals[replica] and msg not in self.missed[replica]

    @handler
    def equalise(self, mirrors: Set[Replica]) -> None:
        """Their master is dead: what one of the mirrors got each gets, and nothing else (D1.3).

        With what was got comes all that was sent before it.
        """
        under_way = {m for x in mirrors for m in self.coming(x)}
        leaving = {m for x in mirrors for m in self.removals[x]}
        got = {m for m in under_way if any(self.has_got(x, m) for x in mirrors)}
        unheard = {m for m in leaving if not any(self.has_heard(x, m) for x in mirrors)}
        for r in mirrors:
            late = max(got & self.coming(r), default=None)
            lost = {m for m in self.coming(r) if late is None or late < m}
            self.copies[r] -= lost
            self.discards[r] -= lost
            self.refusals[r] -= lost
            self.removals[r] -= unheard
