"""The parts of the system, and who is who among them.

A broker has any number of channels, each with its publisher, its transaction, the consumers that
were started on it and the reader of its connection; the processes of queues, each with its store;
what is on its way between them; and the view that the channels' node has of the cluster.  The
machines know nothing of each other.  The chapters that follow compose them: each says what happens
in some of the system's steps, and calls what the chapters before it offer.

An instance switches parts on, by the sizes of sorts, by constants, and by the faults that it
allows; a part that is off costs nothing.

What only the properties need is kept in ghosts, and is said in the publishers' terms:

* `unaccepted[m]`: the queues that `m` was routed to and that have not accepted it, by a confirm
  that arrived or by a deletion that its channel has heard of (A8, A9.3);
* `refusing[m]`: the queues whose master has refused `m`, and no later master has taken it;
* `owing[m]`, `vouchers[m]`: the processes of mirrored queues that `m` was cast to and whose confirm
  has not arrived, and those whose confirm has;
* `backed[m]`: the mirrors that were given `m` when they were synchronised;
* `holders[m]`: the queues that must have `m` once they have accepted it, in confirm mode or not; a
  queue leaves when it is deleted, or when `m` is consumed there (C4.4, INV-B5);
* `unroutable`: the messages routed nowhere (A6.2);
* `mandatory`: those of them that must come back (A6.2), those without a queue that a transaction
  keeps, and all that a program which publishes again has published so;
* `nacked_now[c]`: the tags of the nacks of a flush, so far (A10.5);
* `acked_late`: those acked after nacks of the same flush (A10.5);
* `named_now[c]`: the tags that the frames of a flush have named, so far (INV-A4);
* `retold`: those that two frames of one flush have named, or that came back twice (INV-A4);
* `overlooked`: those that a queue was meant to get and routing did not find it (A5.4);
* `excused`: the messages for whose nack there is a cause (INV-A12);
* `seniors[q]`: for each message, those of other channels that were in the queue when it was put
  there;
* `seen_tags[c]`: the delivery tags that a client has seen on its present channel (F1.1);
* `seen_twice[c]`: those that two frames have had (F1.1);
* `handed[q]`: what a client has seen from a queue;
* `asking[c]`: the method to which the publisher of a channel waits for the answer (A1.5);
* `fetching`: the channels whose consumers' client waits for one;
* `unasked`: those on which an answer came that nobody waited for;
* `uninformed`: the consumers that have ended with their queue, and are to be told so (F3.3);
* `warned`: those whose client has been told that an alarm blocks it, and not yet that it is over;
* `misled`: those whose client was told one of the two and knew it (E4.3);
* `finished[q]`: what it has acked, or rejected for good (INV-F3);
* `struck`: processes that a fault has ended, or that had stopped in a partition which is over, and
  that have not started again;
* `stopped`: processes that were stopped in an orderly way, and have not started again (B8.5);
* `entrusted[r]`: what such a one had to bring to its disk;
* `told_gone[m]`: the mirrors that came late and were told that `m` has left their queue (D2.1);
* `dead[q]`: the messages that died in a queue which dead-letters (Q12.2);
* `purged[q]`: those that such a queue was told to throw away (B4.3).
"""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Const, Each, Ghost, Map, Option, Range, Set, System, handler, helper
from ackproof.spec.channel import Channel
from ackproof.spec.cluster import Cluster
from ackproof.spec.consumer import ConsumerChannel, Subscription
from ackproof.spec.courier import Courier
from ackproof.spec.credit import CreditPair
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Casts, Multicast
from ackproof.spec.publisher import Publisher
from ackproof.spec.reader import Reader
from ackproof.spec.retrier import Retrier
from ackproof.spec.sorts import (
    Born,
    ChannelId,
    Consumer,
    Level,
    Method,
    Msg,
    Node,
    Queue,
    Reason,
    Replica,
    Status,
    Tag,
)
from ackproof.spec.store import Bodies, Mailbox
from ackproof.spec.transaction import Transaction

__all__ = ["Parts"]


class Parts(System):
    """Channels, queues, consumers, the network between them, and the cluster that they are in."""

    # What is on.
    plain_publishes: Const[bool] = False  # whether queues get messages that nobody will confirm
    transactional: Const[bool] = False  # whether channels use transactions
    retrying: Const[bool] = False  # whether what may be lost is published again
    consumers: Const[bool] = True  # whether there are unnamed consumers, which only take and ack
    tagged: Const[bool] = False  # whether there are consumers with names
    shared: Const[bool] = False  # whether they use the publishers' channels
    credit: Const[bool] = False  # whether processes keep credit
    mirror_cost: Const[Annotated[int, Range(1, 2)]] = 2  # of a publish, towards a mirror (E3)
    home: Const[Option[Node]] = None  # the node of the channels

    # The program that publishes, on all channels.
    retrier: Retrier

    # What publishes the dead, on channels of its own.
    courier: Courier

    # One for each channel.
    publishers: Each[ChannelId, Publisher]
    channels: Each[ChannelId, Channel]
    transactions: Each[ChannelId, Transaction]
    consuming: Each[ChannelId, ConsumerChannel]
    readers: Each[ChannelId, Reader]
    reading: Each[ChannelId, CreditPair]  # credit of the reader with the channel
    casts: Each[ChannelId, Casts]
    subscriptions: Each[Consumer, Subscription]

    # The queues.
    replicas: Each[Replica, QueueProcess]
    multicast: Multicast
    storing: Each[Replica, CreditPair]  # credit of a process with its store
    mailboxes: Each[Replica, Mailbox]
    bodies: Bodies  # what all queues share, where their bodies lie apart
    enlisted: Set[Replica]  # mirrors that joined and are in the record
    trimmed: Set[Replica]  # dead processes that were taken out of it
    unsynced: Set[Replica]
    acks_across: Map[Replica, Set[Msg]]  # of consumers, under way across a partition (A12.7)

    cluster: Cluster

    # What is known of each message.
    persistent: Set[Msg]
    plain: Set[Msg]  # published outside of confirm mode

    unaccepted: Ghost[Map[Msg, Set[Queue]]]
    refusing: Ghost[Map[Msg, Set[Queue]]]
    owing: Ghost[Map[Msg, Set[Replica]]]
    vouchers: Ghost[Map[Msg, Set[Replica]]]
    backed: Ghost[Map[Msg, Set[Replica]]]
    holders: Ghost[Map[Msg, Set[Queue]]]
    unroutable: Ghost[Set[Msg]]
    mandatory: Ghost[Set[Msg]]
    nacked_now: Ghost[Map[ChannelId, Set[Msg]]]
    acked_late: Ghost[Set[Msg]]
    named_now: Ghost[Map[ChannelId, Set[Msg]]]
    retold: Ghost[Set[Msg]]
    overlooked: Ghost[Set[Msg]]
    excused: Ghost[Set[Msg]]
    seniors: Ghost[Map[Queue, Map[Msg, Set[Msg]]]]
    seen_tags: Ghost[Map[ChannelId, Set[Tag]]]
    seen_twice: Ghost[Map[ChannelId, Set[Tag]]]
    handed: Ghost[Map[Queue, Set[Msg]]]
    asking: Ghost[Map[ChannelId, Option[Method]]]
    fetching: Ghost[Set[ChannelId]]
    unasked: Ghost[Set[ChannelId]]
    uninformed: Ghost[Set[Consumer]]
    warned: Ghost[Set[ChannelId]]
    misled: Ghost[Set[ChannelId]]
    finished: Ghost[Map[Queue, Set[Msg]]]
    struck: Ghost[Set[Replica]]
    stopped: Ghost[Set[Replica]]
    entrusted: Ghost[Map[Replica, Set[Msg]]]
    told_gone: Ghost[Map[Msg, Set[Replica]]]
    dead: Ghost[Map[Queue, Set[Msg]]]
    purged: Ghost[Map[Queue, Set[Msg]]]

    # -- queues and their processes -------------------------------------------------------------

    @helper
    def siblings(self, replica: Replica) -> Set[Replica]:
        """Return the processes of the same queue, this one included (D1.1)."""
        return {r for r in Replica if self.replicas[r].of == self.replicas[replica].of}

    @helper
    def mirrored(self, replica: Replica) -> bool:
        """Tell whether a process is not its queue's only one (D1.1)."""
        return bool(self.siblings(replica) - {replica})

    @helper
    def exists(self, queue: Queue) -> bool:
        """Tell whether routing finds a queue: no deleted one, and none to come (A5.4, A9.5)."""
        return all(
            self.replicas[r].status != Status.DELETED and self.replicas[r].begun()
            for r in Replica
            if self.replicas[r].of == queue
        )

    @helper
    def all_exist(self, targets: Set[Queue]) -> bool:
        """Tell whether routing finds each of these queues (A5.4)."""
        return all(self.exists(q) for q in targets)

    @helper
    def found(self, queue: Queue) -> bool:
        """Tell whether routing finds a queue that exists: its processes may all be down (A5.4)."""
        return True

    @helper
    def listed(self, replica: Replica) -> bool:
        """Tell whether a process is in its queue's record, where channels look (A5.5, D1.1-D5.2).

        A mirror that joins later enters the record by a step of its own.
        """
        there = self.replicas[replica].born != Born.LATER or replica in self.enlisted
        return there and replica not in self.trimmed

    @helper
    def addressed(self, targets: Set[Queue]) -> Set[Replica]:
        """Return the processes that a message for these queues is cast to (A5.5)."""
        return {r for r in Replica if self.replicas[r].of in targets and self.listed(r)}

    @helper
    def asked(self, targets: Set[Queue]) -> Set[Replica]:
        """Return the processes whose confirm a channel waits for: all of those (A7.3)."""
        return self.addressed(targets)

    @helper
    def present(self, replica: Replica) -> bool:
        """Tell whether a process has been started (D1.2)."""
        return self.replicas[replica].led() or self.replicas[replica].mirrors()

    @helper
    def runs(self, replica: Replica) -> bool:
        """Tell whether a process was started and has not ended (D9)."""
        return self.replicas[replica].status == Status.RUNNING and self.present(replica)

    @helper
    def alone(self, replica: Replica) -> bool:
        """Tell whether no other process of the same queue runs (C5.1)."""
        return all(not self.runs(r) for r in self.siblings(replica) - {replica})

    @helper
    def last_to_lead(self, replica: Replica) -> bool:
        """Tell whether no process that came to lead after this one is in the record (D8 L6)."""
        return not any(
            self.replicas[r].led() and self.listed(r) for r in self.siblings(replica) if replica < r
        )

    @helper
    def was_last_master(self, master: Replica) -> bool:
        """Tell whether nobody leads a queue, and this process did last, which is dead (D5.1)."""
        dead = self.replicas[master].led() and self.replicas[master].status == Status.DOWN
        leaderless = not any(self.replicas[r].leads() for r in self.siblings(master))
        return dead and leaderless and self.last_to_lead(master)

    # -- what is dead ----------------------------------------------------------------------------

    @helper
    def of_client(self, channel: ChannelId) -> bool:
        """Tell whether a client has a channel, and not a queue that dead-letters (Q12.2)."""
        return self.channels[channel].carries_for is None

    @helper
    def carries_for(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether the dead of a queue are published on a channel (Q12.2)."""
        return self.channels[channel].carries_for == self.replicas[replica].of

    @helper
    def dead_letters(self, replica: Replica) -> bool:
        """Tell whether a queue keeps what is dead until other queues have it (Q12.1)."""
        return any(self.carries_for(c, replica) for c in ChannelId)

    @helper
    def graves(self, replica: Replica) -> Set[Queue]:
        """Return the queues where the dead of a queue go (Q12.2)."""
        return {
            self.replicas[r].of
            for r in Replica
            if self.replicas[r].dead_of == self.replicas[replica].of
        }

    # -- who reaches whom -----------------------------------------------------------------------

    @helper
    def separable(self, replica: Replica) -> bool:
        """Tell whether a process is on a node that a partition may cut off (D9)."""
        return self.replicas[replica].node is not None

    @helper
    def apart(self, replica: Replica) -> bool:
        """Tell whether a process is on the other side of a partition from the channels (D9)."""
        return any(self.replicas[replica].node == n for n in self.cluster.away)

    @helper
    def reaches(self, replica: Replica) -> bool:
        """Tell whether the channels and a process can speak to each other (A12.7, D9)."""
        return not self.apart(replica)

    @helper
    def stands(self, replica: Replica) -> bool:
        """Tell whether a process on its node has stopped with the node, which waits (A12.2, D9)."""
        node = self.replicas[replica].node
        return any(self.replicas[r].node == node for r in Replica if r in self.cluster.halted)

    @helper
    def linked(self, one: Replica, other: Replica) -> bool:
        """Tell whether two processes of a queue can speak to each other (D9)."""
        return self.apart(one) == self.apart(other)

    @helper
    def given_up(self, replica: Replica) -> bool:
        """Tell whether the channels' node has given up the node of a process (A9)."""
        return any(self.replicas[replica].node == n for n in self.cluster.lost)

    @helper
    def able(self, replica: Replica) -> bool:
        """Tell whether what is cast to a process gets there, for all a channel knows (A5.4)."""
        return self.replicas[replica].status == Status.RUNNING and not self.given_up(replica)

    @helper
    def divided(self, replica: Replica) -> bool:
        """Tell whether the processes of a queue have given up those on the other side (D9)."""
        return bool(self.siblings(replica) & self.cluster.estranged)

    @helper
    def knows(self, master: Replica, mirror: Replica) -> bool:
        """Tell whether a master counts a mirror among those it tells (D2.1)."""
        return self.linked(master, mirror) or not self.divided(master)

    @helper
    def mirrors_of(self, replica: Replica) -> Set[Replica]:
        """Return the mirrors that hear what a master does (D1.2, D2.1)."""
        return {
            r
            for r in self.siblings(replica)
            if self.replicas[r].mirrors() and self.knows(replica, r)
        }

    @helper
    def strangers(self, master: Replica) -> Set[Replica]:
        """Return the mirrors of a master that are on the other side (D9)."""
        return {
            r
            for r in self.siblings(master)
            if self.replicas[r].mirrors() and not self.linked(r, master)
        }

    # -- messages -------------------------------------------------------------------------------

    @helper
    def confirming(self, msg: Msg) -> bool:
        """Tell whether the publisher of a message waits for its confirm (B2.1)."""
        return msg not in self.plain

    @helper
    def of_channel(self, msgs: Set[Msg], channel: ChannelId) -> Set[Msg]:
        """Return those of some messages that a channel has published (B2.2)."""
        return {m for m in msgs if Msg.owner(m) == channel}

    @helper
    def in_flight(self, replica: Replica) -> Set[Msg]:
        """Return what is on its way from all channels to a process (O2)."""
        return {m for c in ChannelId for m in self.casts[c].publishes[replica]}

    @helper
    def unheard(self, replica: Replica) -> bool:
        """Tell whether some channel has still to hear that a process is gone (A9)."""
        return any(self.casts[c].downs[replica] is not None for c in ChannelId)

    @helper
    def expects(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether an answer for a message is expected of this very process (INV-A9)."""
        if self.mirrored(replica):
            return replica in self.owing[msg]
        return self.replicas[replica].of in self.unaccepted[msg]

    @helper
    def last_to_answer(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether nobody else of its queue is left to accept a message (INV-A12)."""
        return self.replicas[replica].of in self.unaccepted[msg] and not any(
            self.replicas[r].status == Status.RUNNING
            and r in self.owing[msg]
            and self.casts[Msg.owner(msg)].downs[r] is None
            for r in self.siblings(replica) - {replica}
        )

    # -- what is lost with a process ------------------------------------------------------------

    @handler
    def excuse(self, replica: Replica) -> None:
        """A process ends that nobody else can answer for: that is a cause for nacks (INV-A12)."""
        self.excused |= {m for m in Msg if self.last_to_answer(m, replica)}

    @helper
    def normal_end(self, replica: Replica) -> Reason:
        """Return what a normal end is to a channel: only a master's is that of its queue (A9)."""
        return Reason.NORMAL if self.replicas[replica].led() else Reason.BENIGN

    @helper
    def news(self, replica: Replica, reason: Reason) -> Reason:
        """Return the reason that is heard of the end of a process: none from one given up (A9)."""
        return Reason.BENIGN if self.given_up(replica) else reason

    @handler
    def end_process(self, replica: Replica, reason: Reason) -> None:
        """What was on its way to a process is lost, and all channels will hear of it (O1, A9)."""
        for channel in ChannelId:
            self.casts[channel].end(replica, reason)
        self.multicast.end(replica)
        self.acks_across[replica].clear()

    # -- what properties ask --------------------------------------------------------------------

    @helper
    def acked(self) -> Set[Msg]:
        """Return what publishers have been told is confirmed (A11.5)."""
        return {m for c in ChannelId for m in self.publishers[c].confirmed}

    @helper
    def nacked(self) -> Set[Msg]:
        """Return what publishers have been told is not (A11.5)."""
        return {m for c in ChannelId for m in self.publishers[c].nacked}

    @helper
    def answering(self, msg: Msg) -> Set[Replica]:
        """Return the processes that answer for a message, where it must still be (INV-B5).

        In a queue with mirrors, those that have confirmed it; else the one process there is.
        """
        return {
            r
            for r in Replica
            if self.replicas[r].of in self.holders[msg]
            if r in self.vouchers[msg] or not self.mirrored(r)
        }

    @helper
    def synced(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a message of a process is on the disk, with its body (C2.2, C2.4)."""
        body = not self.replicas[replica].store.apart or self.bodies.level[msg] == Level.SYNCED
        return self.replicas[replica].store.level[msg] == Level.SYNCED and body

    @helper
    def recoverable(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a message would be there if its process started again (C5.1)."""
        body = not self.replicas[replica].store.apart or self.bodies.level[msg] != Level.ABSENT
        return self.replicas[replica].store.level[msg] != Level.ABSENT and body

    @helper
    def unanswered(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a process's confirm for a message has not arrived (A8.3)."""
        if self.mirrored(replica):
            return replica not in self.vouchers[msg]
        return self.replicas[replica].of in self.unaccepted[msg]

    @helper
    def vouched_for(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a process of a queue that confirmed a message, or has it, runs (INV-D4).

        In a partition it has to be on the side of the process that is asked about (D9).
        """
        return any(
            self.replicas[r].status == Status.RUNNING
            and (self.linked(r, replica) or not self.cluster.parted)
            for r in self.siblings(replica) & (self.vouchers[msg] | self.backed[msg])
        )

    @helper
    def listening(self) -> Set[Replica]:
        """Return the processes that run, or whose end no channel has heard of (A9)."""
        return {r for r in Replica if self.replicas[r].status == Status.RUNNING}

    @helper
    def stranded(self, replica: Replica) -> bool:
        """Tell whether a process is not there to hear from a master (D5.1)."""
        return self.replicas[replica].status != Status.RUNNING

    @helper
    def left_a_trace(self, msg: Msg) -> bool:
        """Tell whether a message has gone anywhere from its channel (A13.1)."""
        return msg in self.channels[Msg.owner(msg)].unconfirmed or any(
            msg in self.in_flight(r) | self.replicas[r].present() for r in Replica
        )
