"""Consuming: how consumers end, and what becomes of what they had.

When the consumers' channel ends, all queues have back at once what it held (F3.2).  In RabbitMQ
some may notice later than others, unless the client closes in an orderly way; but that could only
be told by a consumer on another channel, of which there is none.

When a queue process ends, what came from it can still be settled, and nobody hears of it (F3.3).
In RabbitMQ since 3.9 an ack may reach the process that has taken its place, and settle something
else there (F1.7); here a delivery knows its process.  The consumers of the queue are gone, and are
told.
"""

from __future__ import annotations

from ackproof.spec.lang import Option, Set, action, fault, handler, helper, require
from ackproof.spec.settling import Settling
from ackproof.spec.sorts import Consumer, Msg, Queue, Replica, Tag
from ackproof.spec.wire import Cancel, ChannelClose, Complaint, ConsumerAck

__all__ = ["Consuming"]


class Consuming(Settling):
    """Channels and queues end, with consumers about (F3)."""

    # -- the channel's end ----------------------------------------------------------------------

    @fault
    def ack_unknown(self, tag: Option[Tag], multiple: bool) -> None:
        """A client acks a tag that is not there, and has closed the channel by that (F1.3)."""
        require(self.heeds() and not self.consuming.knows(tag, multiple))
        self.emit(ConsumerAck(tag, multiple))
        self.emit(ChannelClose(Complaint.UNKNOWN_TAG))
        if self.shared:
            self.close_channel()
        else:
            self.end_consumers()

    @fault
    def close_consumers(self) -> None:
        """The consumers' own channel closes, or its connection breaks (B7.5, F3.2, F3.4)."""
        require(self.tagged and not self.shared and self.consuming.open)
        self.end_consumers()

    @action
    def reopen(self) -> None:
        """Their client comes back, with a new channel; a publisher's is not opened again (A1.7)."""
        require(self.tagged and not self.shared and not self.consuming.open)
        self.consuming.reopen()
        self.seen_tags.clear()

    @handler
    def close_channel(self) -> None:
        """Consumers on the publisher's channel end with it (A13.7)."""
        super().close_channel()
        if self.shared:
            self.end_consumers()

    @handler
    def end_consumers(self) -> None:
        """All that was delivered on a channel and not settled returns to its queues (B7.5, F3.2).

        Of what was settled in a transaction, nothing is (A13.7).
        """
        self.consuming.restore()
        self.put_back(set(self.consuming.unacked))
        self.forget_consumers()

    @handler
    def forget_consumers(self) -> None:
        """The channel is gone, and its consumers with it (F3.2)."""
        self.consuming.close()
        for consumer in Consumer:
            self.subscriptions[consumer].stop()

    # -- the queues' ends -----------------------------------------------------------------------

    @handler
    def lose_process(self, replica: Replica) -> None:
        """A process has ended: what it handed out cannot be settled any more (F1.7, F3.3)."""
        self.consuming.orphan({replica})
        if self.replicas[replica].led():
            self.cancel_all(self.replicas[replica].of)

    @handler
    def cancel_all(self, queue: Queue) -> None:
        """The consumers of a queue end with its master, and are told (F3.3)."""
        for consumer in sorted(Consumer):
            if self.subscriptions[consumer].active and self.subscriptions[consumer].of == queue:
                self.subscriptions[consumer].stop()
                self.emit(Cancel(consumer))

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """A queue is deleted (A9.3, F3.3)."""
        super().delete_queue(queue)
        self.consuming.orphan({r for r in Replica if self.replicas[r].of == queue})
        self.cancel_all(queue)

    @action(fair="weak")
    def promote(self, replica: Replica) -> None:
        """A mirror becomes the master; its queue does not know what was handed out (B7.4).

        So what was sent to it as a mirror and is still to come counts as handed out (B1.5).
        """
        super().promote(replica)
        if self.replicas[replica].marking:
            self.replicas[replica].delivered |= self.network.publishes[replica]

    @fault
    def crash_queue(self, replica: Replica) -> None:
        """A process of a queue crashes (C5, F3.3)."""
        super().crash_queue(replica)
        self.lose_process(replica)

    @fault
    def lose_node(self, replica: Replica) -> None:
        """The node of a process is killed (A9, C5, F3.3)."""
        super().lose_node(replica)
        self.lose_process(replica)

    @action(fair="weak")
    def halt(self, replica: Replica) -> None:
        """The node of a process pauses (A12.2, F3.3)."""
        super().halt(replica)
        self.lose_process(replica)

    @action(fair="weak")
    def pause(self) -> None:
        """The channel's node pauses; the consumers' connection is to the same (A12.2, D9)."""
        super().pause()
        if self.tagged and not self.shared:
            self.end_consumers()

    @fault
    def crash_node(self) -> None:
        """Everything is on one node, the consumers' channel as well (C5)."""
        super().crash_node()
        if self.tagged:
            self.forget_consumers()

    @fault
    def crash_machine(self) -> None:
        """And on one machine (C5)."""
        super().crash_machine()
        if self.tagged:
            self.forget_consumers()

    # -- what properties ask --------------------------------------------------------------------

    @helper
    def places(self, msg: Msg, replica: Replica) -> Set[Tag]:
        """Return the tags under which a message of a process is unsettled (INV-F2)."""
        return {
            t
            for t in Tag
            if self.consuming.came_from(self.consuming.unacked[t], msg, replica)
            or self.consuming.came_from(self.consuming.collected[t], msg, replica)
        }

    @helper
    def seen_from(self, consumer: Consumer) -> Set[Msg]:
        """Return what was handed out before by the queue of a consumer (B7.4)."""
        return {
            m
            for m in Msg
            if any(self.subscriptions[consumer].of == q and m in self.handed[q] for q in Queue)
        }

    @helper
    def is_orphan(self, tag: Tag) -> bool:
        """Tell whether the process that an unacked delivery came from has ended (F3.3)."""
        delivery = self.consuming.unacked[tag]
        return delivery is not None and delivery.replica is None

    @helper
    def delivered_twice(self, one: Tag, other: Tag) -> bool:
        """Tell whether two unacked deliveries are of the same message (F1.7)."""
        first = self.consuming.unacked[one]
        second = self.consuming.unacked[other]
        return first is not None and second is not None and first.msg == second.msg
