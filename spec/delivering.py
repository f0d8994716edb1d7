"""Delivering: consumers with names get messages, under delivery tags.

`Serving` lets messages leave their queues and does not ask how.  This chapter and the two after it
say how: consumers are started on a channel, get what they have room for, and settle it by tag;
whoever wants a single message asks for it.  An instance has one or the other.

The consumers have a channel of their own, or share the publisher's (`shared`).  Sharing couples
what should have nothing to do with each other: an unknown delivery tag closes the channel, and
with it goes every confirm that was not told yet.  On a shared channel that is transactional, acks
are part of the transaction (A13.2).

A delivery is one step here, from the head of a queue to the client.  What a queue had sent when the
channel or its connection ended, comes back to it, and counts as handed out (B7.4): that is the run
in which it was delivered just before.
"""

from __future__ import annotations

from ackproof.spec.consumer import ConsumerChannel, Subscription
from ackproof.spec.lang import (
    Const,
    Each,
    Ghost,
    Map,
    Set,
    action,
    fault,
    handler,
    helper,
    on,
    require,
)
from ackproof.spec.sorts import Consumer, Msg, Queue, Replica, Tag
from ackproof.spec.transacting import Transacting
from ackproof.spec.wire import CancelOk, Deliver, GetEmpty, GetOk

__all__ = ["Delivering"]


class Delivering(Transacting):
    """Consumers are started and stopped, and get messages (F1.1, F2)."""

    tagged: Const[bool] = False  # whether there are consumers with names
    shared: Const[bool] = False  # whether they use the publisher's channel

    consuming: ConsumerChannel
    subscriptions: Each[Consumer, Subscription]

    seen_tags: Ghost[Set[Tag]]  # the tags that the client has seen, on its present channel
    handed: Ghost[Map[Queue, Set[Msg]]]  # what the client has seen from a queue

    # -- starting and stopping ------------------------------------------------------------------

    @helper
    def heeds(self) -> bool:
        """Tell whether the consumers' channel takes methods (A1.5, A2.6)."""
        return self.tagged and self.consuming.open and self.free()

    @helper
    def free(self) -> bool:
        """Tell whether no commit keeps the channel from it (A1.5)."""
        return not self.shared or self.transaction.answers()

    @helper
    def attached(self, consumer: Consumer, replica: Replica) -> bool:
        """Tell whether a process is the master of a consumer's queue (F2.2)."""
        queue = self.replicas[replica].of
        return self.replicas[replica].leads() and self.subscriptions[consumer].of == queue

    @action
    def consume(self, consumer: Consumer) -> None:
        """A consumer is started on a queue that is there (F2.2)."""
        require(self.heeds() and any(self.attached(consumer, r) for r in Replica))
        self.subscriptions[consumer].start()

    @fault
    def cancel(self, consumer: Consumer) -> None:
        """A consumer is stopped by its client; what it has it may still settle (B7.6).

        No fault of anybody's, but an instance says how often it may happen.
        """
        require(self.heeds() and self.subscriptions[consumer].active)
        self.subscriptions[consumer].stop()
        self.emit(CancelOk(consumer))

    # -- delivering -----------------------------------------------------------------------------

    @helper
    def has_room(self, consumer: Consumer) -> bool:
        """Tell whether a consumer may have one more: by its own limit, and the shared one (F2)."""
        subscription = self.subscriptions[consumer]
        return self.consuming.admits(consumer, subscription.prefetch, subscription.no_ack)

    @helper
    def serves(self, replica: Replica, consumer: Consumer) -> bool:
        """Tell whether a master may hand a message to a consumer (B3.1, F2.4)."""
        waits = self.tagged and self.subscriptions[consumer].active and self.consuming.open
        here = self.attached(consumer, replica) and self.reaches(replica)
        return waits and here and self.has_room(consumer)

    @action(fair="weak")
    def hand_out(self, msg: Msg, replica: Replica, consumer: Consumer) -> None:
        """The head of a queue goes to a consumer that has room for it (B3.2, F2.2)."""
        require(self.serves(replica, consumer) and self.replicas[replica].head() == msg)
        redelivered = msg in self.replicas[replica].delivered
        no_ack = self.subscriptions[consumer].no_ack
        self.consuming.deliver(msg, replica, consumer, redelivered, no_ack)
        self.part_with(msg, replica, no_ack)

    @action
    def hand_on(self, msg: Msg, replica: Replica, consumer: Consumer) -> None:
        """A message arrives at an empty queue where a consumer waits that has room for it (B3.1).

        A consumer without acks takes it past the store (B3.3).  One with acks gets what is stored
        as any other message (B3.2), so that two steps say the same, `deliver` and `hand_out`; but
        not where the queue has no room at all, and would drop the message between the two (B5.2).
        """
        no_ack = self.subscriptions[consumer].no_ack
        require(self.serves(replica, consumer) and (no_ack or self.replicas[replica].roomless()))
        require(self.network.next_for(replica) == msg and not self.replicas[replica].ready)
        require(not self.replicas[replica].recognises(msg) and not self.replicas[replica].refuses())
        self.consuming.deliver(msg, replica, consumer, False, no_ack)
        self.network.receive(msg, replica)
        if no_ack:
            self.hand_past(msg, replica)
        else:
            self.enqueue(msg, replica)
            self.replicas[replica].take(msg)
        self.handed[self.replicas[replica].of].add(msg)

    @action
    def get(self, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """A client asks for the head of a queue, whatever the limits (F1.1, F2.3)."""
        require(self.heeds() and self.replicas[replica].leads() and self.reaches(replica))
        require(self.replicas[replica].head() == msg)
        redelivered = msg in self.replicas[replica].delivered
        queue = self.replicas[replica].of
        self.consuming.answer(msg, replica, queue, redelivered, no_ack)
        self.part_with(msg, replica, no_ack)

    @action
    def get_empty(self, replica: Replica) -> None:
        """A client asks for a message, and there is none (F3.5)."""
        require(self.heeds() and self.replicas[replica].leads() and self.reaches(replica))
        require(not self.replicas[replica].ready)
        self.emit(GetEmpty(self.replicas[replica].of))

    @handler
    def part_with(self, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """A message has been handed out: it is with a consumer, or consumed by that (B3, C4.4)."""
        self.handed[self.replicas[replica].of].add(msg)
        if no_ack:
            self.replicas[replica].drop(msg)
            self.leaves(msg, replica)
        else:
            self.replicas[replica].take(msg)

    # -- what the client makes of it ------------------------------------------------------------

    @on(Deliver)
    def sees_delivery(self, delivery: Deliver) -> None:
        """The client reads a delivery (F1.1)."""
        self.seen_tags.add(delivery.tag)

    @on(GetOk)
    def sees_message(self, answer: GetOk) -> None:
        """The client reads the message that it asked for (F1.1)."""
        self.seen_tags.add(answer.tag)
