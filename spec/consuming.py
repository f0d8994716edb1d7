"""Consuming: consumers with names get messages under delivery tags, and settle them.

Consumers are started on a channel, get what they have room for, and settle it by tag; whoever wants
a single message asks for it.  An instance has these or the unnamed ones of `Queueing`.

The consumers of a channel have a channel of their own, or share the publisher's (`shared`).
Sharing couples what should have nothing to do with each other: an unknown delivery tag closes the
channel, and with it goes every confirm that was not told yet.  On a shared channel that is
transactional, acks are part of the transaction (A13.2).

A delivery is one step here, from the head of a queue to the client.  What a queue had sent when the
channel or its connection ended, comes back to it, and counts as handed out (B7.4): that is the run
in which it was delivered just before.

What a client settles it names by tag, and what it does it does to all of those deliveries in one
step (F1.4).  A message that is acked, or rejected for good, leaves its queue: for a publisher it is
consumed (C4.4).  One that comes back returns to its old place, before whatever is younger (B7.2).
In a transaction the channel only takes note (A13.2), and at the commit all that it has noted takes
effect, after the messages were published (A13.3).

When a queue process ends, what came from it can still be settled, and nobody hears of it (F3.3).
In RabbitMQ since 3.9 an ack may reach the process that has taken its place, and settle something
else there (F1.7); here a delivery knows its process.  The consumers of the queue are gone, and are
told.

A consumer is one of the process that it was started with, and so is what it has.  Across a
partition a queue hears nothing of what clients do (A12.7): what they ack arrives when that is over,
and what nobody has any more the queue takes back then.  If the channels have given it up first, it
has given them up as well, and takes back all that they had (B7.5); its consumers are told that it
is gone (F3.3).  Who has acked a message may then see it again.
"""

from __future__ import annotations

from ackproof.lang import Option, Set, action, fault, handler, helper, on, require
from ackproof.spec.queueing import Queueing
from ackproof.spec.reader import ReaderState
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Queue, Replica, Tag, TxMode
from ackproof.spec.wire import (
    Cancel,
    CancelOk,
    ConsumerAck,
    ConsumerReject,
    Deliver,
    GetEmpty,
    GetOk,
    RecoverOk,
)

__all__ = ["Consuming"]


class Consuming(Queueing):
    """Consumers: deliveries, acks, rejects, and what comes back (F1-F3)."""

    # -- starting and stopping ------------------------------------------------------------------

    @helper
    def heeds(self, channel: ChannelId) -> bool:
        """Tell whether a channel takes what consumers say, and somebody reads it (A1.5, E4.2)."""
        reads = self.readers[channel].reads() or not self.shared
        there = self.tagged and self.of_client(channel) and self.consuming[channel].open
        return there and self.free(channel) and reads

    @helper
    def free(self, channel: ChannelId) -> bool:
        """Tell whether no commit keeps the channel from it (A1.5)."""
        return not self.shared or self.transactions[channel].answers()

    @helper
    def attached(self, consumer: Consumer, replica: Replica) -> bool:
        """Tell whether a process leads, and a consumer was started there (F2.2)."""
        return self.replicas[replica].leads() and self.subscriptions[consumer].at == replica

    @action
    def consume(self, consumer: Consumer, replica: Replica) -> None:
        """A consumer is started on a queue that is there, with its master (F2.2)."""
        require(self.heeds(Consumer.owner(consumer)))
        require(self.subscriptions[consumer].of == self.replicas[replica].of)
        require(self.replicas[replica].leads() and self.reaches(replica))
        self.subscriptions[consumer].start(replica)

    @fault
    def cancel(self, consumer: Consumer) -> None:
        """A consumer is stopped by its client; what it has it may still settle (B7.6).

        Its queue has to answer, so a partition keeps the client waiting.

        No fault of anybody's, but an instance says how often it may happen.
        """
        require(self.heeds(Consumer.owner(consumer)))
        require(any(self.subscriptions[consumer].at == r for r in Replica if self.reaches(r)))
        self.fetching.add(Consumer.owner(consumer))
        self.subscriptions[consumer].stop()
        self.consuming[Consumer.owner(consumer)].cancelled(consumer)

    # -- delivering -----------------------------------------------------------------------------

    @helper
    def has_room(self, consumer: Consumer) -> bool:
        """Tell whether a consumer may have one more: by its own limit, and the shared one (F2)."""
        prefetch = self.subscriptions[consumer].prefetch
        return self.consuming[Consumer.owner(consumer)].admits(consumer, prefetch)

    @helper
    def serves(self, replica: Replica, consumer: Consumer) -> bool:
        """Tell whether a master may hand a message to a consumer (B3.1, F2.4)."""
        waits = self.attached(consumer, replica) and self.has_room(consumer)
        return waits and self.reaches(replica)

    @action(fair="weak")
    def hand_out(self, msg: Msg, replica: Replica, consumer: Consumer) -> None:
        """The head of a queue goes to a consumer that has room for it (B3.2, F2.2)."""
        require(self.serves(replica, consumer) and self.replicas[replica].head() == msg)
        redelivered = msg in self.replicas[replica].delivered
        no_ack = self.subscriptions[consumer].no_ack
        channel = Consumer.owner(consumer)
        self.consuming[channel].deliver(msg, replica, consumer, redelivered, no_ack)
        self.part_with(msg, replica, no_ack)

    @action
    def hand_on(self, msg: Msg, replica: Replica, consumer: Consumer) -> None:
        """A message arrives at an empty queue where a consumer waits that has room for it (B3.1).

        A consumer without acks takes it past the store (B3.3).  One with acks gets what is stored
        as any other message (B3.2), so that two steps say the same, `deliver` and `hand_out`; but
        not where the queue has no room at all, and would drop the message between the two (B5.2).

        What was sent to it while it was a mirror, its old master may have handed out (B7.4).
        """
        twice = self.acks_twice(msg, replica)
        blocked = self.storing[replica].blocks()
        no_ack = self.subscriptions[consumer].no_ack
        redelivered = msg in self.replicas[replica].delivered
        require(self.serves(replica, consumer) and (no_ack or self.replicas[replica].roomless()))
        require(self.casts[Msg.owner(msg)].next_for(replica) == msg)
        require(not self.replicas[replica].ready)
        require(not self.replicas[replica].recognises(msg) and not self.replicas[replica].refuses())
        self.consuming[Consumer.owner(consumer)].deliver(
            msg, replica, consumer, redelivered, no_ack
        )
        self.casts[Msg.owner(msg)].receive(msg, replica)
        if no_ack:
            self.hand_past(msg, replica)
        else:
            self.enqueue(msg, replica)
            self.replicas[replica].take(msg)
        self.handed[self.replicas[replica].of].add(msg)
        self.take_from_channel(msg, replica, twice, blocked)

    @action
    def get(self, channel: ChannelId, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """A client asks for the head of a queue, whatever the limits (F1.1, F2.3)."""
        require(self.heeds(channel) and self.replicas[replica].leads() and self.reaches(replica))
        require(self.replicas[replica].head() == msg)
        redelivered = msg in self.replicas[replica].delivered
        queue = self.replicas[replica].of
        self.fetching.add(channel)
        self.consuming[channel].answer(msg, replica, queue, redelivered, no_ack)
        self.part_with(msg, replica, no_ack)

    @action
    def get_empty(self, channel: ChannelId, replica: Replica) -> None:
        """A client asks for a message, and there is none (F3.5)."""
        require(self.heeds(channel) and self.replicas[replica].leads() and self.reaches(replica))
        require(not self.replicas[replica].ready)
        self.fetching.add(channel)
        self.consuming[channel].answer_empty(self.replicas[replica].of)

    @handler
    def part_with(self, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """A message has been handed out: it is with a consumer, or consumed by that (B3, C4.4)."""
        self.handed[self.replicas[replica].of].add(msg)
        if no_ack:
            self.replicas[replica].drop(msg)
            self.replicas[replica].displace({msg})
            self.leaves(msg, replica)
        else:
            self.replicas[replica].take(msg)

    # -- settling -------------------------------------------------------------------------------

    @helper
    def in_transaction(self, channel: ChannelId) -> bool:
        """Tell whether what a client settles waits for a commit (A13.2)."""
        return self.shared and self.transactions[channel].mode == TxMode.OPEN

    @action
    def consumer_acks(self, channel: ChannelId, tag: Option[Tag], multiple: bool) -> None:
        """A client is done with one delivery, with several, or with all (F1.2)."""
        require(self.heeds(channel) and self.consuming[channel].knows(tag, multiple))
        self.emit(ConsumerAck(channel, tag, multiple))
        settled = set(self.consuming[channel].named(tag, multiple))
        if self.in_transaction(channel):
            self.consuming[channel].collect(settled, False)
        else:
            self.finish(channel, settled)
            self.consuming[channel].settle(settled)

    @action
    def consumer_rejects(
        self, channel: ChannelId, tag: Option[Tag], multiple: bool, requeue: bool
    ) -> None:
        """A client does not want deliveries; they come back to their queues, or not (F1.4)."""
        require(self.heeds(channel) and self.consuming[channel].knows(tag, multiple))
        self.emit(ConsumerReject(channel, tag, multiple, requeue))
        settled = set(self.consuming[channel].named(tag, multiple))
        if self.in_transaction(channel):
            self.consuming[channel].collect(settled, requeue)
        else:
            if requeue:
                self.put_back(channel, settled)
            else:
                self.bury(channel, settled)
            self.consuming[channel].settle(settled)

    @action
    def recover(self, channel: ChannelId) -> None:
        """A client has everything requeued that it has not settled (F1.5)."""
        require(self.heeds(channel) and bool(self.consuming[channel].unacked))
        everything = set(self.consuming[channel].unacked)
        self.fetching.add(channel)
        self.put_back(channel, everything)
        self.consuming[channel].settle(everything)
        self.consuming[channel].recovered()

    @handler
    def finish(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """The messages of these deliveries leave their queues (B7.1, C4.4)."""
        for replica in self.consuming[channel].lenders(tags):
            done = set(self.consuming[channel].from_process(tags, replica))
            self.tell_done(done, replica)

    @handler
    def bury(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """The messages of these deliveries are dead: they leave, or are set aside (F1.4, Q12.2)."""
        for replica in self.consuming[channel].lenders(tags):
            done = set(self.consuming[channel].from_process(tags, replica))
            if self.dead_letters(replica):
                for msg in done:
                    self.set_aside(msg, replica)
            else:
                self.tell_done(done, replica)

    @handler
    def tell_done(self, msgs: Set[Msg], replica: Replica) -> None:
        """A process is told what a client is done with; across a partition it waits (A12.7)."""
        if self.reaches(replica):
            self.consume_all(msgs, replica)
        else:
            self.acks_across[replica] |= msgs

    @handler
    def consume_all(self, msgs: Set[Msg], replica: Replica) -> None:
        """Messages that a consumer had leave their queue (B7.1, C4.4)."""
        for msg in msgs:
            self.replicas[replica].acknowledge(msg)
            self.leaves(msg, replica)
        self.replicas[replica].displace(msgs)

    @handler
    def put_back(self, channel: ChannelId, tags: Set[Tag]) -> None:
        """The messages of these deliveries return to their places (B7.2, B7.3).

        Those of a process across a partition stay with nobody until that is over (A12.7).
        """
        for replica in self.consuming[channel].lenders(tags):
            if self.reaches(replica):
                self.take_back(set(self.consuming[channel].from_process(tags, replica)), replica)

    @handler
    def take_back(self, msgs: Set[Msg], replica: Replica) -> None:
        """Messages are ready again in their queue, and may be too much (B7.2, B7.3)."""
        for msg in msgs:
            self.replicas[replica].requeue(msg)
        self.shorten(replica)

    @handler
    def settle_collected(self, channel: ChannelId) -> None:
        """What was settled in a transaction takes effect at its commit (A13.3)."""
        returning = set(self.consuming[channel].returning)
        finished = set(self.consuming[channel].collected) - returning
        for replica in self.consuming[channel].kept_lenders(finished | returning):
            done = set(self.consuming[channel].kept_from(finished, replica))
            self.tell_done(done, replica)
            if self.reaches(replica):
                self.take_back(set(self.consuming[channel].kept_from(returning, replica)), replica)
        self.consuming[channel].apply()

    # -- the ends -------------------------------------------------------------------------------

    @handler
    def end_consumers(self, channel: ChannelId) -> None:
        """All that was delivered on a channel and not settled returns to its queues (B7.5, F3.2).

        Of what was settled in a transaction, nothing is (A13.7).
        """
        self.consuming[channel].restore()
        self.put_back(channel, set(self.consuming[channel].unacked))
        self.consuming[channel].close()
        for consumer in Consumer.of(channel):
            self.subscriptions[consumer].stop()

    @handler
    def lose_deliveries(self, replicas: Set[Replica]) -> None:
        """Processes have ended: what they handed out cannot be settled any more (F1.7, F3.3)."""
        for channel in ChannelId:
            self.consuming[channel].orphan(replicas)

    @handler
    def cancel_all(self, replicas: Set[Replica]) -> None:
        """The consumers of queues end with their masters, and are told (F3.3)."""
        for consumer in sorted({c for c in Consumer if self.started_with(c, replicas)}):
            self.uninformed.add(consumer)
            self.subscriptions[consumer].stop()
            self.consuming[Consumer.owner(consumer)].bereave(consumer)

    @helper
    def started_with(self, consumer: Consumer, replicas: Set[Replica]) -> bool:
        """Tell whether a consumer was started with one of some processes (F2.2)."""
        return any(self.subscriptions[consumer].at == r for r in replicas)

    # -- across a partition ---------------------------------------------------------------------

    @action(fair="weak")
    def acks_arrive(self, replica: Replica) -> None:
        """What clients were done with across a partition leaves its queue later (A12.4, F1.4)."""
        require(self.separable(replica) and self.reaches(replica))
        require(bool(self.acks_across[replica]))
        self.consume_all(set(self.acks_across[replica]), replica)
        self.acks_across[replica].clear()

    @action(fair="weak")
    def regain(self, replica: Replica) -> None:
        """A process takes back what nobody has any more, when it gets to know that (B7.2, B7.5).

        It hears of it after a partition, or has given up the channels, as they have given it up.
        """
        require(self.tagged and self.separable(replica))
        require(self.reaches(replica) or self.given_up(replica))
        require(bool(self.abandoned(replica)))
        self.take_back(set(self.abandoned(replica)), replica)

    @helper
    def abandoned(self, replica: Replica) -> Set[Msg]:
        """Return what a process takes for lent, and nobody has, nor is done with (B7.5)."""
        lent = {m for c in ChannelId for m in self.lent(c, replica)}
        return self.replicas[replica].pending - lent - self.acks_across[replica]

    # -- what the client makes of it ------------------------------------------------------------

    @on(Deliver)
    def sees_delivery(self, delivery: Deliver) -> None:
        """A client reads a delivery (F1.1)."""
        self.sees_tag(Consumer.owner(delivery.consumer), delivery.tag)

    @on(GetOk)
    def sees_message(self, answer: GetOk) -> None:
        """A client reads the message that it asked for (F1.1)."""
        self.sees_tag(answer.channel, answer.tag)
        self.consumer_hears(answer.channel)

    @on(GetEmpty)
    def sees_nothing(self, answer: GetEmpty) -> None:
        """A client reads that there is no message for it (F3.5)."""
        self.consumer_hears(answer.channel)

    @on(RecoverOk)
    def sees_recovery(self, answer: RecoverOk) -> None:
        """A client reads that all is back that it has not settled (F1.5)."""
        self.consumer_hears(answer.channel)

    @on(CancelOk)
    def sees_stop(self, answer: CancelOk) -> None:
        """A client reads that its consumer is stopped (B7.6)."""
        self.consumer_hears(Consumer.owner(answer.consumer))

    @on(Cancel)
    def sees_end(self, news: Cancel) -> None:
        """A client reads that the queue of its consumer is gone (F3.3)."""
        if news.consumer not in self.uninformed:
            self.unasked.add(Consumer.owner(news.consumer))
        self.uninformed.discard(news.consumer)

    @handler
    def consumer_hears(self, channel: ChannelId) -> None:
        """A client gets the answer to what it has asked for its consumers (A1.5, E4.2).

        Who waits for a commit-ok on that channel, or is blocked there, has not been read.
        """
        waits = self.asking[channel] is not None
        unread = waits or self.readers[channel].state == ReaderState.BLOCKED
        if channel not in self.fetching or (self.shared and unread):
            self.unasked.add(channel)
        self.fetching.discard(channel)

    @handler
    def sees_tag(self, channel: ChannelId, tag: Tag) -> None:
        """A client reads a message with this tag, which no other one should have (F1.1)."""
        if tag in self.seen_tags[channel]:
            self.seen_twice[channel].add(tag)
        self.seen_tags[channel].add(tag)

    @on(ConsumerAck)
    def client_acks(self, ack: ConsumerAck) -> None:
        """A client is done with what it names, if it names it well (F1.2)."""
        self.client_finishes(ack.channel, ack.tag, ack.multiple)

    @on(ConsumerReject)
    def client_rejects(self, reject: ConsumerReject) -> None:
        """A client does not want what it names (F1.4)."""
        if not reject.requeue:
            self.client_finishes(reject.channel, reject.tag, reject.multiple)

    @handler
    def client_finishes(self, channel: ChannelId, tag: Option[Tag], multiple: bool) -> None:
        """These may leave their queues, as far as the client is concerned (INV-F3)."""
        if self.consuming[channel].knows(tag, multiple):
            tags = set(self.consuming[channel].named(tag, multiple))
            for replica in Replica:
                messages = set(self.consuming[channel].from_process(tags, replica))
                self.finished[self.replicas[replica].of] |= messages

    # -- what properties ask --------------------------------------------------------------------

    @helper
    def places(self, channel: ChannelId, msg: Msg, replica: Replica) -> Set[Tag]:
        """Return the tags of a channel under which a message of a process is unsettled (INV-F2)."""
        return {
            t
            for t in Tag
            if self.consuming[channel].came_from(self.consuming[channel].unacked[t], msg, replica)
            or self.consuming[channel].came_from(self.consuming[channel].collected[t], msg, replica)
        }

    @helper
    def lent(self, channel: ChannelId, replica: Replica) -> Set[Msg]:
        """Return the messages of a process that are unsettled on a channel (INV-F2)."""
        unacked = self.consuming[channel].from_process(
            set(self.consuming[channel].unacked), replica
        )
        kept = self.consuming[channel].kept_from(set(self.consuming[channel].collected), replica)
        return unacked | kept

    @helper
    def seen_from(self, consumer: Consumer) -> Set[Msg]:
        """Return what was handed out before by the queue of a consumer (B7.4)."""
        return {
            m
            for m in Msg
            if any(self.subscriptions[consumer].of == q and m in self.handed[q] for q in Queue)
        }
