"""The consumers' side of a channel: delivery tags, what is unacknowledged, prefetch.

What a channel delivers gets the next *delivery tag* of the channel, whether it goes to a consumer
or answers basic.get, and whether or not it has to be acknowledged (F1.1).  What has to be is in
`unacked` (UAMQ) under its tag, until the client settles it.

To settle, the client names a tag, or with `multiple` all tags up to one; the tag that it names must
be there (F1.2).  Tag 0 (None here) with `multiple` stands for all.  Anything else is an error: a
tag that was never given out, was settled before, or belongs to a delivery without acks.  Then
nothing of the method is applied, and the channel closes (F1.3).

Tags and sequence numbers are two spaces, though both are settled by a method called basic.ack
(L6.16).

In a transaction the client settles as always, and for the broker nothing happens before the commit:
the deliveries move to `collected`, with a note on which are to come back (A13.2).  A rollback
restores them under their old tags (A13.6); nothing is delivered again (F1.6).

How many deliveries a consumer may have unsettled, those collected included, is limited twice: for
each consumer, and for all on the channel together (F2.2).  A message that answers basic.get counts
for neither (F2.3).  What counts is noted as it is delivered, in `loads` and `pushed`, so that to
ask for room is not to look at every delivery.
"""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import (
    Const,
    Key,
    Map,
    Option,
    Process,
    Range,
    Record,
    Set,
    handler,
    helper,
    least,
    require,
)
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Queue, Replica, Tag
from ackproof.spec.wire import Cancel, CancelOk, Deliver, GetEmpty, GetOk, RecoverOk

__all__ = ["ConsumerChannel", "Delivery", "Subscription"]

#: How many unsettled deliveries are allowed; 0 is any number.
Prefetch = Annotated[int, Range(0, 65535)]


class Delivery(Record):
    """What stands behind a delivery tag.

    `replica` is the process that the message came from, None once that has ended: settling then
    reaches nobody (F1.7, F3.3).  `consumer` is None for an answer to basic.get.
    """

    msg: Msg
    replica: Option[Replica]
    consumer: Option[Consumer]


class Subscription(Process):
    """One consumer as it was started: its queue, its limit, whether it acknowledges (F2.2)."""

    of: Const[Option[Queue]] = None
    prefetch: Const[Prefetch] = 0  # unsettled deliveries at most; 0 is any number
    no_ack: Const[bool] = False

    at: Option[Replica]  # the master that knows it; None if it is not started

    @handler
    def start(self, replica: Replica) -> None:
        """The consumer is there, by basic.consume, at a process of its queue (F2.2)."""
        require(self.at is None)
        self.at = replica

    @handler
    def stop(self) -> None:
        """basic.cancel, from either side; what is unacked stays so (B7.6, F3.3)."""
        self.at = None


class ConsumerChannel(Process):
    """A channel as its consumers know it (F1, F2)."""

    channel: Key[ChannelId]
    shared_prefetch: Const[Prefetch] = 0  # unsettled deliveries of all consumers; 0 is any number

    open: bool = True
    last_tag: Option[Tag]
    unacked: Map[Tag, Option[Delivery]]
    collected: Map[Tag, Option[Delivery]]
    returning: Set[Tag]
    loads: Map[Consumer, Set[Tag]]  # what counts against a consumer's own limit
    pushed: Set[Tag]  # what counts against the shared one

    # -- delivering -----------------------------------------------------------------------------

    @helper
    def next_tag(self) -> Option[Tag]:
        """Return the tag of the next delivery; None if an instance has no more (F1.1)."""
        return least(Tag) if self.last_tag is None else Tag.succ(self.last_tag)

    @handler
    def deliver(
        self, msg: Msg, replica: Replica, consumer: Consumer, redelivered: bool, no_ack: bool
    ) -> None:
        """Show a message to a consumer, and remember it if it has to be acked (F1.1)."""
        require(self.next_tag() is not None)
        tag = self.next_tag()
        if tag is not None:
            self.emit(Deliver(tag, consumer, msg, redelivered))
            self.count(tag, Delivery(msg, replica, consumer), no_ack)

    @handler
    def answer(
        self, msg: Msg, replica: Replica, queue: Queue, redelivered: bool, no_ack: bool
    ) -> None:
        """Show a message to a client that asked for one (F1.1, L6.17)."""
        require(self.next_tag() is not None)
        tag = self.next_tag()
        if tag is not None:
            self.emit(GetOk(self.channel, tag, queue, msg, redelivered))
            self.count(tag, Delivery(msg, replica, None), no_ack)

    @handler
    def answer_empty(self, queue: Queue) -> None:
        """Tell a client that asked for a message that there is none (F3.5)."""
        self.emit(GetEmpty(self.channel, queue))

    @handler
    def cancelled(self, consumer: Consumer) -> None:
        """Tell a client that its consumer is stopped (B7.6)."""
        self.emit(CancelOk(consumer))

    @handler
    def bereave(self, consumer: Consumer) -> None:
        """Tell a client that the queue of its consumer is gone (F3.3)."""
        self.emit(Cancel(consumer))

    @handler
    def recovered(self) -> None:
        """Tell a client that all is back that it has not settled (F1.5)."""
        self.emit(RecoverOk(self.channel))

    @handler
    def count(self, tag: Tag, delivery: Delivery, no_ack: bool) -> None:
        """A delivery takes its tag, with or without an ack to come (F1.1)."""
        self.last_tag = tag
        if not no_ack:
            self.unacked[tag] = delivery
            self.burden(tag, delivery.consumer)

    @handler
    def burden(self, tag: Tag, consumer: Option[Consumer]) -> None:
        """A delivery to a consumer counts against the limits, until it is settled (F2.2, F2.3)."""
        if consumer is not None:
            self.loads[consumer].add(tag)
            self.pushed.add(tag)

    @handler
    def relieve(self, tag: Tag, delivery: Option[Delivery]) -> None:
        """A delivery counts no more (F2.2)."""
        if delivery is not None and delivery.consumer is not None:
            self.loads[delivery.consumer].discard(tag)
            self.pushed.discard(tag)

    @helper
    def unsettled(self) -> Set[Tag]:
        """Return the tags that the broker has not settled: not acked, or not committed (F1.6)."""
        return set(self.unacked) | set(self.collected)

    @helper
    def goes_to(self, tag: Tag, consumer: Consumer) -> bool:
        """Tell whether an unsettled delivery is one to this consumer (F2.2)."""
        waiting = self.unacked[tag]
        kept = self.collected[tag]
        return (waiting is not None and waiting.consumer == consumer) or (
            kept is not None and kept.consumer == consumer
        )

    @helper
    def load(self, consumer: Consumer) -> Set[Tag]:
        """Return the deliveries that count against a consumer's limit (F1.6, F2.2)."""
        return self.loads[consumer]

    @helper
    def shared_load(self) -> Set[Tag]:
        """Return the deliveries that count against the shared limit: gets do not (F2.3)."""
        return self.pushed

    @helper
    def has_room(self) -> bool:
        """Tell whether the channel may deliver one message more to its consumers (F2.2)."""
        return self.shared_prefetch == 0 or len(self.shared_load()) < self.shared_prefetch

    @helper
    def admits(self, consumer: Consumer, prefetch: Prefetch) -> bool:
        """Tell whether a consumer may have one more: by its own limit, and the shared one (F2).

        What needs no ack counts against neither, and yet waits while the shared one is reached.
        """
        below = prefetch == 0 or len(self.load(consumer)) < prefetch
        return below and self.has_room()

    # -- settling -------------------------------------------------------------------------------

    @helper
    def knows(self, tag: Option[Tag], multiple: bool) -> bool:
        """Tell whether a client may settle this: a tag that is there, or all by 0 (F1.2)."""
        if tag is None:
            return multiple
        return tag in self.unacked

    @helper
    def named(self, tag: Option[Tag], multiple: bool) -> Set[Tag]:
        """Return the deliveries that a client settles who names them well (F1.2)."""
        if tag is not None and not multiple:
            return {tag}
        return {t for t in self.unacked if tag is None or t <= tag}

    @helper
    def came_from(self, delivery: Option[Delivery], msg: Msg, replica: Replica) -> bool:
        """Tell whether a delivery is of this message, from this process (F1.7)."""
        return delivery is not None and delivery.msg == msg and delivery.replica == replica

    @helper
    def carried(self, delivery: Option[Delivery], replica: Replica) -> Set[Msg]:
        """Return the message of a delivery, if it is of this process (F1.7)."""
        if delivery is not None and delivery.replica == replica:
            return {delivery.msg}
        return set()

    @helper
    def origin(self, delivery: Option[Delivery]) -> Set[Replica]:
        """Return the process that a delivery came from, if that has not ended (F1.7)."""
        if delivery is not None and delivery.replica is not None:
            return {delivery.replica}
        return set()

    @helper
    def lenders(self, tags: Set[Tag]) -> Set[Replica]:
        """Return the processes that these deliveries came from (F1.7)."""
        return {r for t in tags for r in self.origin(self.unacked[t])}

    @helper
    def kept_lenders(self, tags: Set[Tag]) -> Set[Replica]:
        """Return the processes that these deliveries came from, in a transaction (F1.6)."""
        return {r for t in tags for r in self.origin(self.collected[t])}

    @helper
    def from_process(self, tags: Set[Tag], replica: Replica) -> Set[Msg]:
        """Return the messages of a process that these tags stand for (F1.2)."""
        return {m for t in tags for m in self.carried(self.unacked[t], replica)}

    @helper
    def kept_from(self, tags: Set[Tag], replica: Replica) -> Set[Msg]:
        """Return the messages of a process that these tags stand for in a transaction (F1.6)."""
        return {m for t in tags for m in self.carried(self.collected[t], replica)}

    @handler
    def settle(self, tags: Set[Tag]) -> None:
        """These deliveries are done with (F1.2)."""
        for tag in tags:
            self.relieve(tag, self.unacked[tag])
            self.unacked[tag] = None

    # -- in a transaction -----------------------------------------------------------------------

    @handler
    def collect(self, tags: Set[Tag], requeue: bool) -> None:
        """These are done with at the commit (A13.2, F1.6)."""
        for tag in tags:
            self.collected[tag] = self.unacked[tag]
            self.unacked[tag] = None
        if requeue:
            self.returning |= tags

    @handler
    def apply(self) -> None:
        """The commit has settled all that was collected (A13.3)."""
        for tag in set(self.collected):
            self.relieve(tag, self.collected[tag])
        self.collected.clear()
        self.returning.clear()

    @handler
    def restore(self) -> None:
        """A rollback gives back what was collected, each under its tag (A13.6)."""
        for tag in set(self.collected):
            self.unacked[tag] = self.collected[tag]
        self.collected.clear()
        self.returning.clear()

    # -- ending ---------------------------------------------------------------------------------

    @handler
    def orphan(self, replicas: Set[Replica]) -> None:
        """Processes have ended: what came from them can be settled, and nobody hears (F3.3)."""
        for tag in set(self.unacked):
            self.unacked[tag] = self.orphaned(self.unacked[tag], replicas)
        for tag in set(self.collected):
            self.collected[tag] = self.orphaned(self.collected[tag], replicas)

    @helper
    def orphaned(self, delivery: Option[Delivery], replicas: Set[Replica]) -> Option[Delivery]:
        """Return a delivery, without its process if that has ended (F3.3)."""
        if delivery is not None and any(delivery.replica == r for r in replicas):
            return Delivery(delivery.msg, None, delivery.consumer)
        return delivery

    @handler
    def close(self) -> None:
        """Close the channel, and forget what was delivered on it (F1.3, F3.2)."""
        self.open = False
        self.last_tag = None
        self.unacked.clear()
        self.collected.clear()
        self.returning.clear()
        self.loads.clear()
        self.pushed.clear()

    @handler
    def reopen(self) -> None:
        """A client comes back with a new channel, which counts from 1 (A1.7, F1.1)."""
        self.open = True
