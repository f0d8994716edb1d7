"""Settling: clients ack deliveries, reject them, or have them back.

Each of these names deliveries by tag, and what it does it does to all of them in one step (F1.4).
A message that is acked, or rejected for good, leaves its queue: for a publisher it is consumed
(C4.4).  One that comes back returns to its old place, before whatever is younger (B7.2).

In a transaction the channel only takes note (A13.2).  At the commit all that it has noted takes
effect, after the messages were published (A13.3).
"""

from __future__ import annotations

from ackproof.spec.delivering import Delivering
from ackproof.spec.lang import (
    Ghost,
    Map,
    Option,
    Set,
    action,
    handler,
    helper,
    on,
    require,
)
from ackproof.spec.sorts import Msg, Queue, Replica, Tag, TxMode
from ackproof.spec.wire import ConsumerAck, ConsumerReject, RecoverOk

__all__ = ["Settling"]


class Settling(Delivering):
    """Acks, rejects, and what comes back (F1, A13)."""

    finished: Ghost[Map[Queue, Set[Msg]]]  # what the client has acked, or rejected for good

    # -- settling -------------------------------------------------------------------------------

    @helper
    def in_transaction(self) -> bool:
        """Tell whether what a client settles waits for a commit (A13.2)."""
        return self.shared and self.transaction.mode == TxMode.OPEN

    @action
    def consumer_acks(self, tag: Option[Tag], multiple: bool) -> None:
        """A client is done with one delivery, with several, or with all (F1.2)."""
        require(self.heeds() and self.consuming.knows(tag, multiple))
        self.emit(ConsumerAck(tag, multiple))
        settled = set(self.consuming.named(tag, multiple))
        if self.in_transaction():
            self.consuming.collect(settled, False)
        else:
            self.finish(settled)
            self.consuming.settle(settled)

    @action
    def consumer_rejects(self, tag: Option[Tag], multiple: bool, requeue: bool) -> None:
        """A client does not want deliveries; they come back to their queues, or not (F1.4)."""
        require(self.heeds() and self.consuming.knows(tag, multiple))
        self.emit(ConsumerReject(tag, multiple, requeue))
        settled = set(self.consuming.named(tag, multiple))
        if self.in_transaction():
            self.consuming.collect(settled, requeue)
        else:
            if requeue:
                self.put_back(settled)
            else:
                self.finish(settled)
            self.consuming.settle(settled)

    @action
    def recover(self) -> None:
        """A client has everything requeued that it has not settled (F1.5)."""
        require(self.heeds() and bool(self.consuming.unacked))
        everything = set(self.consuming.unacked)
        self.put_back(everything)
        self.consuming.settle(everything)
        self.emit(RecoverOk())

    @handler
    def finish(self, tags: Set[Tag]) -> None:
        """The messages of these deliveries leave their queues (B7.1, C4.4)."""
        for replica in Replica:
            for msg in self.consuming.from_process(tags, replica):
                self.consume_one(msg, replica)

    @handler
    def consume_one(self, msg: Msg, replica: Replica) -> None:
        """A message that a consumer had leaves its queue (B7.1, C4.4)."""
        self.replicas[replica].acknowledge(msg)
        self.leaves(msg, replica)

    @handler
    def put_back(self, tags: Set[Tag]) -> None:
        """The messages of these deliveries return to their places (B7.2, B7.3)."""
        for replica in Replica:
            for msg in self.consuming.from_process(tags, replica):
                self.replicas[replica].requeue(msg)
            self.drop_surplus(replica)

    @handler
    def drop_surplus(self, replica: Replica) -> None:
        """A queue that several messages came back to may have to drop several (B5.2, B7.3)."""
        for msg in self.surplus(replica):
            self.replicas[replica].drop(msg)
            self.leaves(msg, replica)

    @helper
    def surplus(self, replica: Replica) -> Set[Msg]:
        """Return the oldest messages of a queue, as many as it is over its limit (B5.2)."""
        ready = self.replicas[replica].ready
        return {
            m
            for m in ready
            if self.replicas[replica].overflows()
            and len({k for k in ready if k >= m}) > self.replicas[replica].max_length
        }

    # -- in a transaction -----------------------------------------------------------------------

    @handler
    def commit(self) -> None:
        """After the messages, what was settled in the transaction takes effect (A13.3)."""
        super().commit()
        returning = set(self.consuming.returning)
        finished = set(self.consuming.collected) - returning
        for replica in Replica:
            for msg in self.consuming.kept_from(finished, replica):
                self.consume_one(msg, replica)
            for msg in self.consuming.kept_from(returning, replica):
                self.replicas[replica].requeue(msg)
            self.drop_surplus(replica)
        self.consuming.apply()

    @handler
    def roll_back(self) -> None:
        """What was settled in the transaction is unacked again (A13.6)."""
        super().roll_back()
        self.consuming.restore()

    # -- what the client says --------------------------------------------------------------------

    @on(ConsumerAck)
    def client_acks(self, ack: ConsumerAck) -> None:
        """The client is done with what it names, if it names it well (F1.2)."""
        self.client_finishes(ack.tag, ack.multiple)

    @on(ConsumerReject)
    def client_rejects(self, reject: ConsumerReject) -> None:
        """The client does not want what it names (F1.4)."""
        if not reject.requeue:
            self.client_finishes(reject.tag, reject.multiple)

    @handler
    def client_finishes(self, tag: Option[Tag], multiple: bool) -> None:
        """These may leave their queues, as far as the client is concerned (INV-F3)."""
        if self.consuming.knows(tag, multiple):
            tags = set(self.consuming.named(tag, multiple))
            for replica in Replica:
                messages = set(self.consuming.from_process(tags, replica))
                self.finished[self.replicas[replica].of] |= messages
