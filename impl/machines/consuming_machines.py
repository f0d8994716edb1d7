"""A channel as its consumers know it: the spec's machine, and what it does not need to know.

`ConsumerChannel` counts delivery tags and knows what is unacknowledged, by message id.  Kept beside
it are the consumers by the tags that clients have given them, and the queues that deliveries came
from.  A consumer is named to the machine by a number of its own: a tag may be used again when its
consumer was cancelled, and then stands for another consumer.

What the machine tells, it tells by event.  What an event does not say, the content of a message
and the name of a consumer, is looked up here by whoever makes frames of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, NamedTuple

from ackproof.impl.machines.publishing_machines import PublishingMachines, Q
from ackproof.impl.wire.content import Message
from ackproof.lang import Event
from ackproof.model.native.families import growing
from ackproof.spec.consumer import Subscription
from ackproof.spec.sorts import Consumer, Msg, Replica, Tag

__all__ = ["ChannelConsumer", "ConsumingMachines", "Loan", "Show"]

#: Called with what the client is told.
Show = Callable[[Event], None]


#: Unsettled deliveries that a channel keeps, unless it is said how many.
_MOST = 1_000_000


def _always() -> bool:
    return True


def _nothing() -> None:
    """Nobody has to know."""


class Loan(NamedTuple, Generic[Q]):
    """A message that a client has, and the queue that it is of."""

    queue: Q
    msg: Msg


@dataclass(eq=False, slots=True)
class ChannelConsumer(Generic[Q]):
    """One consumer.

    Attributes:
        tag: what its client knows it by.
        key: what the machines know it by; never used again on its channel.
        machine: the spec's consumer.
        exclusive: no other consumer may be at its queue.
        priority: the highest is served first.
    """

    tag: str
    key: Consumer
    channel: ConsumingMachines[Q]
    queue: Q
    machine: Subscription
    exclusive: bool = False
    priority: int = 0


class ConsumingMachines(Generic[Q]):
    """The machines of the consumers of one channel, for queues of some class.

    Args:
        publishing: the machines of its publisher.
        show: called with what the client is told; may look at this channel meanwhile.
        reads: tells whether the client takes what it is sent; if not, nothing is delivered.

    Attributes:
        id: what the machines call the channel.
        machine: the spec's channel.
        collects: tells whether what the client settles waits for a commit (A13.2).
        most: unsettled deliveries that are kept for any client, whatever it has asked for.
        choked: something could not be delivered for the client did not read, or had too much.
        prefetch: the limit of the consumers that are started from now on (F2.2).
        consumers: by consumer tag.
        parked: the consumers that could not be served when it was their turn.
        lenders: the queues that something unacknowledged may have come from, by key.
        rejected: deliveries that were rejected for good in a transaction that is not over.
        shown: the message that is being delivered.
        remaining: how many messages are ready behind one that answers basic.get.
        lent: called when there is one delivery more to be acknowledged.
        place: where it is; None for one that no client has opened.
    """

    def __init__(
        self,
        publishing: PublishingMachines[Q],
        show: Show,
        reads: Callable[[], bool] = _always,
    ) -> None:
        self._system = publishing.system
        self.id = publishing.id
        self.machine = growing(self._system.consuming).add(self.id, show)
        self.collects = publishing.in_transaction
        self.place = publishing.place
        self.lent: Callable[[], None] = _nothing
        self.reads = reads
        self.most = _MOST
        self.prefetch = 0
        self.choked = False
        self.consumers: dict[str, ChannelConsumer[Q]] = {}
        self.parked: dict[ChannelConsumer[Q], None] = {}
        self.lenders: dict[Replica, Q] = {}
        self.rejected: set[Tag] = set()
        self.shown: Message | None = None
        self.remaining = 0
        self._by_key: dict[Consumer, ChannelConsumer[Q]] = {}
        self._last_key = Consumer.first(self.id)

    @property
    def full(self) -> bool:
        """Tell whether as much is unsettled as is kept for any client."""
        return len(self.machine.unacked) + len(self.machine.collected) >= self.most

    @property
    def oldest(self) -> Tag | None:
        """Return the tag of the oldest delivery that is unacknowledged; None if there is none."""
        return next(iter(self.machine.unacked), None)

    def enter(
        self, tag: str, queue: Q, *, no_ack: bool, exclusive: bool, priority: int
    ) -> ChannelConsumer[Q]:
        """Return a new consumer, which is not started yet."""
        key = Consumer.succ(self._last_key)
        assert key is not None, "a program has as many consumers as anybody starts"
        self._last_key = key
        machine = growing(self._system.subscriptions).add(
            key, of=queue.machine.of, prefetch=self.prefetch, no_ack=no_ack
        )
        consumer = ChannelConsumer(tag, key, self, queue, machine, exclusive, priority)
        self.consumers[tag] = consumer
        self._by_key[key] = consumer
        return consumer

    def forget(self, consumer: ChannelConsumer[Q]) -> None:
        """A consumer has ended; its tag may be used again."""
        self.consumers.pop(consumer.tag, None)
        self._by_key.pop(consumer.key, None)
        self.parked.pop(consumer, None)
        growing(self._system.subscriptions).remove(consumer.key)

    def tag_of(self, key: Consumer) -> str:
        """Return the consumer tag of a consumer."""
        return self._by_key[key].tag

    def borrow(self, queue: Q) -> None:
        """Something of a queue is unacknowledged here; the queue knows it already."""
        self.lenders[queue.key] = queue
        self.lent()

    def unsettled(self) -> list[Loan[Q]]:
        """Return what the client has and has not settled, or has settled in a transaction only."""
        return self.loans({*self.machine.unacked, *self.machine.collected})

    def loans(self, tags: Iterable[Tag]) -> list[Loan[Q]]:
        """Return what these deliveries are of, in their order.

        But for queues that have ended, and for those that a partition keeps from hearing of it.
        """
        found = self._of_queues(tags)
        if self._system.cluster.cut():
            return [loan for loan in found if not self._system.apart(loan.queue.key)]
        return found

    def loans_across(self, tags: Iterable[Tag]) -> list[Loan[Q]]:
        """Return what these deliveries are of, where the queue is across a partition (A12.7)."""
        return [loan for loan in self._of_queues(tags) if self._system.apart(loan.queue.key)]

    def _of_queues(self, tags: Iterable[Tag]) -> list[Loan[Q]]:
        unacked, collected = self.machine.unacked, self.machine.collected
        found = []
        for tag in sorted(tags):
            delivery = unacked[tag] or collected[tag]
            if delivery is not None and delivery.replica is not None:
                found.append(Loan(self.lenders[delivery.replica], delivery.msg))
        return found
