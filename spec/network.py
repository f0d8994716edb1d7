"""The network: what is between the channels, the processes of the queues, and these processes.

Between two processes messages keep their order; between different senders there is none (O1, O2).

**`Casts`** is what is between one channel and the processes.  What is on its way from the channel
to a process is a set that is taken in publish order: the least first.  What is on its way back,
confirms and rejects, waits in the process's `outbox` and `refused`.  A mailbox is not modelled
apart from the wire, so the priorities with which a process takes what lies in its mailbox (O3) say
nothing new: what it would take later may as well arrive later, and what it would take first may
arrive first.

The channel monitors every process it casts to (A5.7).  If it dies, one DOWN arrives, after
everything that it had sent (O1), before or after what others send (O3).  If it is dead already when
the channel casts to it, the cast vanishes and a DOWN arrives all the same, with the reason noproc
or noconnection: benign (A5.4, A9).  One DOWN is enough for all that waits.

**`Multicast`** is what a master tells its mirrors (D1.3, D2.1): that it published a message, that
it dealt with one without publishing it, that one has left the queue.  Each mirror gets all of that
in order.  Of what was published or dealt with, the order in which it was told is kept; of what has
left, only that it comes after the publish matters.

When a master dies, its mirrors may have got less than it sent, but no two of them differ: what one
of them got, each gets, before it learns of the death (D1.3).  `equalise` says so.  It loses all
that nobody got; a mirror that would have got some of it, had got it just before.
"""

from __future__ import annotations

from ackproof.lang import Each, Map, Option, Process, Set, handler, helper
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.credit import CreditPair
from ackproof.spec.sorts import Msg, Reason, Replica

__all__ = ["Announcements", "Casts", "Multicast"]


class Casts(Process):
    """What is between one channel and the processes of the queues (O1-O3, A5)."""

    publishes: Map[Replica, Set[Msg]]
    downs: Map[Replica, Option[Reason]]

    credit: Each[Replica, CreditPair]  # of the channel with a process (E2)
    as_mirrors: Map[Replica, Set[Msg]]  # under way to a process addressed as a mirror (A5.6)

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
        if self.downs[replica] is None:
            self.downs[replica] = reason

    @handler
    def give_up(self, replica: Replica) -> None:
        """The channel's node has given up that of a process: both forget the other (A9, E1.4)."""
        self.publishes[replica].clear()
        self.as_mirrors[replica].clear()
        self.downs[replica] = Reason.BENIGN
        self.credit[replica].receiver_ends()
        self.credit[replica].lose_bumps()

    @handler
    def heard(self, replica: Replica) -> None:
        """The channel has processed the DOWN of a process (A9)."""
        self.downs[replica] = None

    @handler
    def vanish(self) -> None:
        """The broker is gone, and everything between its processes with it (C5)."""
        self.publishes.clear()
        self.downs.clear()


class Announcements(Arrivals):
    """The order in which a mirror is told what became of messages (D1.4)."""


class Multicast(Process):
    """What masters have told their mirrors, and has not arrived (D1.3, D2.1)."""

    copies: Map[Replica, Set[Msg]]  # published by the master
    discards: Map[Replica, Set[Msg]]  # dealt with, and in no queue
    refusals: Map[Replica, Set[Msg]]  # refused, and in no queue
    removals: Map[Replica, Set[Msg]]  # gone from the queue
    missed: Map[Replica, Set[Msg]]  # what was multicast before a mirror joined
    order: Each[Replica, Announcements]  # in which the fate of messages was told

    @helper
    def next_from_master(self, replica: Replica) -> Option[Msg]:
        """Return the message of which a mirror learns next (D1.4, INV-D1)."""
        return self.order[replica].first(self.coming(replica))

    @helper
    def silent(self, replica: Replica) -> bool:
        """Tell whether nothing is on its way to a mirror from its master (D1.3)."""
        told = bool(self.copies[replica]) or bool(self.discards[replica])
        return not told and not self.refusals[replica] and not self.removals[replica]

    @helper
    def coming(self, replica: Replica) -> Set[Msg]:
        """Return the messages whose fate is on its way to a mirror (D2.1)."""
        return self.copies[replica] | self.discards[replica] | self.refusals[replica]

    # -- the master tells -----------------------------------------------------------------------

    @handler
    def tell_publish(self, msg: Msg, replica: Replica) -> None:
        """A master tells a mirror that it has published a message (D2.1)."""
        self.order[replica].arrive(msg, set(self.coming(replica)))
        self.copies[replica].add(msg)

    @handler
    def tell_discard(self, msg: Msg, replica: Replica) -> None:
        """A master tells a mirror that it has given a message away (B3.3, D2.1)."""
        self.order[replica].arrive(msg, set(self.coming(replica)))
        self.discards[replica].add(msg)

    @handler
    def tell_refusal(self, msg: Msg, replica: Replica) -> None:
        """A master tells a mirror that it has refused a message (B5.6, D2.1)."""
        self.order[replica].arrive(msg, set(self.coming(replica)))
        self.refusals[replica].add(msg)

    @handler
    def tell_removal(self, msg: Msg, replica: Replica) -> None:
        """A master tells a mirror that a message has left the queue (D2.1, D4.15)."""
        self.removals[replica].add(msg)

    # -- a mirror learns ------------------------------------------------------------------------

    @handler
    def learnt(self, msg: Msg, replica: Replica) -> None:
        """A mirror has learnt what became of a message (D4.6-D4.11).

        One that had missed it when it joined has got it now, from a master that came later.
        """
        self.copies[replica].discard(msg)
        self.discards[replica].discard(msg)
        self.refusals[replica].discard(msg)
        self.missed[replica].discard(msg)
        self.order[replica].leave({msg})

    @handler
    def removed(self, msg: Msg, replica: Replica) -> None:
        """A mirror has learnt that a message left the queue (D4.15)."""
        self.removals[replica].discard(msg)
        self.missed[replica].discard(msg)

    # -- joining and ending ---------------------------------------------------------------------

    @handler
    def join(self, replica: Replica, others: Set[Replica]) -> None:
        """A mirror joins those of its queue: what is on its way to them passes it by (D1.2)."""
        self.missed[replica].clear()
        for other in others:
            self.missed[replica] |= self.coming(other) | self.removals[other]

    @handler
    def end(self, replica: Replica) -> None:
        """A process ends, and what was on its way to it is lost (O1)."""
        self.copies[replica].clear()
        self.discards[replica].clear()
        self.refusals[replica].clear()
        self.removals[replica].clear()
        self.order[replica].keep(set())

    @handler
    def vanish(self) -> None:
        """The broker is gone, and everything between its processes with it (C5)."""
        self.copies.clear()
        self.discards.clear()
        self.refusals.clear()
        self.removals.clear()
        for replica in Replica:
            self.order[replica].keep(set())

    # -- the death of a master ------------------------------------------------------------------

    @helper
    def has_got(self, replica: Replica, msg: Msg) -> bool:
        """Tell whether a mirror knows what became of a message, and not by joining later (D1.3)."""
        return msg not in self.coming(replica) and msg not in self.missed[replica]

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
            kept = got & self.coming(r)
            lost = {
                m
                for m in self.coming(r) - kept
                if not any(self.order[r].before(m, other) for other in kept)
            }
            self.copies[r] -= lost
            self.discards[r] -= lost
            self.refusals[r] -= lost
            self.removals[r] -= unheard
            self.order[r].keep(set(self.coming(r)))
