"""The steps by which messages go to clients and come back.

A queue serves its consumers by the step `serve`, which is the specification's `hand_out` with the
arguments that `ackproof.impl.machines.queue_consumers` chooses: the head of the queue goes to the
consumer whose turn it is, if the machines say that it has room.

What a client settles are actions of the specification.  What they did to each message, its queue's
journal, timers and limit have to know; so it is looked up before which messages these are.  A
message that is rejected for good leaves its queue as one that is acknowledged does; the
specification does not tell them apart, and the dead letter of the one is published besides (F1.4).

The specification says whether a queue is full or too long, and what has to go (B5).  What that
means in bytes, `ackproof.impl.machines.length_limit` has told its machine just before.

Time is what a message may have none of, and what ends it later (B4).  It leaves by the
specification's step `drop`, so it is confirmed if it still had to be (B4.3).  A queue with
`x-expires` is deleted when nobody has used it for that long.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import cast

from ackproof.impl.machines.channels import ConsumingChannel, HostedConsumer
from ackproof.impl.machines.consuming_machines import Loan
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_order import PlacedSet
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.contents import Contents
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.x_death import Cause
from ackproof.lang import Option, require
from ackproof.spec.sorts import Msg, Tag
from ackproof.spec.wire import RecoverOk

__all__ = ["Serving"]


def _nothing(_: HostedQueue) -> None:
    """Nobody is to be told."""


class Serving(Part):
    """Clients get messages, and settle them (F1, F2).

    Attributes:
        unused: called with an auto-delete queue whose last consumer has gone, and with one that
            nobody has used for too long.
    """

    def __init__(self, context: Context, contents: Contents) -> None:
        super().__init__(context)
        self.contents = contents
        self.unused: Callable[[HostedQueue], None] = _nothing

    # -- starting and stopping ----------------------------------------------------------------

    @observed
    def consume(self, consumer: HostedConsumer) -> None:
        """A consumer is started on a queue that is there (F2.2)."""
        self.system.consume(consumer.key, consumer.queue.key)
        consumer.queue.consumers.add(consumer)
        self.context.offers.wake(consumer.channel)

    @observed
    def cancel(self, consumer: HostedConsumer) -> None:
        """A consumer is stopped by its client; what it has it may still settle (B7.6)."""
        self.system.cancel(consumer.key)
        self._leave(consumer)

    def end_consumers(self, consuming: ConsumingChannel) -> None:
        """A channel ends, and its consumers with it; queues have nothing lent to it any more."""
        for queue in consuming.lenders.values():
            queue.borrowers.pop(consuming, None)
        consuming.lenders.clear()
        for consumer in list(consuming.consumers.values()):
            self._leave(consumer)

    def _leave(self, consumer: HostedConsumer) -> None:
        """A consumer has ended; its queue may go with it, or serve another one instead (B8.2)."""
        queue = consumer.queue
        consumer.channel.forget(consumer)
        queue.consumers.remove(consumer)
        if self.system.apart(queue.key):
            queue.deserted = True
        else:
            self._left(queue)

    def _left(self, queue: HostedQueue) -> None:
        """A queue hears that a consumer of it has ended (B8.2)."""
        if queue.consumers:
            self.context.offers.serve(queue)
        elif queue.auto_delete:
            self.unused(queue)
        self.timers.used(queue)

    def lose_clients(self, queue: HostedQueue) -> None:
        """A process across a partition was given up: nobody consumes from it any more (F3.3)."""
        if queue.consumers or queue.deserted:
            queue.deserted = queue.auto_delete
            self.timers.used(queue)
        queue.forget_clients()

    def come_back(self, queue: HostedQueue) -> None:
        """A process that was across a partition hears that consumers have left (B7.5)."""
        if queue.deserted and queue.machine.leads():
            queue.deserted = False
            self._left(queue)

    # -- delivering ---------------------------------------------------------------------------

    def serves(self, queue: HostedQueue, consumer: HostedConsumer) -> bool:
        """Tell whether a queue may hand a message to a consumer, whose client reads (B3.1, F2.4).

        No client gets more than the broker is ready to remember of it.
        """
        channel = consumer.channel
        ready = channel.reads() and (consumer.machine.no_ack or not channel.full)
        channel.choked = channel.choked or not ready
        return ready and self.system.serves(queue.key, consumer.key)

    def next_consumer(self, queue: HostedQueue) -> HostedConsumer | None:
        """Return the consumer that a queue serves next; those it cannot serve are parked."""
        while (consumer := queue.consumers.next()) is not None:
            if self.serves(queue, consumer):
                return consumer
            queue.consumers.park(consumer)
        return None

    def serve(self, queue: HostedQueue) -> None:
        """The first messages of a queue go to the consumers whose turn it is, but what has expired.

        They are handed out one after another, with nothing between, and not so many that others
        would have to wait for that.
        """
        for served in range(self.context.scheduler.portion):
            if queue.expiries:
                self.contents.expire(queue)
            if not self.serve_head(queue):
                require(served > 0)
                return

    def serve_head(self, queue: HostedQueue) -> bool:
        """The head of a queue goes to the consumer whose turn it is, if there is one (B3.5).

        Returns:
            Whether it has gone.
        """
        msg = queue.machine.head()
        consumer = None if msg is None else self.next_consumer(queue)
        if msg is None or consumer is None:
            return False
        self.hand_out(msg, queue, consumer)
        queue.consumers.served(consumer)
        return True

    @observed
    def hand_out(self, msg: Msg, queue: HostedQueue, consumer: HostedConsumer) -> None:
        """The head of a queue goes to a consumer that has room for it (B3.2, F2.2)."""
        channel = consumer.channel
        channel.shown = content_of(msg)
        self.system.hand_out(msg, queue.key, consumer.key)
        self._handed(msg, queue, channel, consumer.machine.no_ack)

    @observed
    def get(self, queue: HostedQueue, channel: ConsumingChannel, no_ack: bool) -> None:
        """A client asks for the head of a queue, whatever the limits (F1.1, F2.3, F3.5)."""
        self.contents.expire(queue)
        self.timers.used(queue)
        msg = queue.machine.head()
        if msg is None:
            self.system.get_empty(channel.id, queue.key)
            return
        channel.shown = content_of(msg)
        channel.remaining = len(queue.machine.ready) - 1
        self.system.get(channel.id, msg, queue.key, no_ack)
        self._handed(msg, queue, channel, no_ack)

    def _handed(
        self, msg: Msg, queue: HostedQueue, channel: ConsumingChannel, no_ack: bool
    ) -> None:
        """A message has been handed out: it is with a client, or consumed by that (B3, C4.4)."""
        channel.shown = None
        if no_ack:
            self.contents.drop(queue, msg)
        else:
            self.contents.take(queue, msg)
            queue.lend_to(channel)

    # -- settling -----------------------------------------------------------------------------

    @observed
    def consumer_acks(self, channel: ConsumingChannel, tag: Option[Tag], multiple: bool) -> None:
        """A client is done with one delivery, with several, or with all (F1.2)."""
        loans = self._settled(channel, tag, multiple)
        self.system.consumer_acks(channel.id, tag, multiple)
        for queue, msg in loans:
            self.contents.acknowledge(queue, msg)
        self.clear(channel)

    @observed
    def consumer_rejects(
        self, channel: ConsumingChannel, tag: Option[Tag], multiple: bool, requeue: bool
    ) -> None:
        """A client does not want deliveries; they come back to their queues, or not (F1.4)."""
        loans = self._settled(channel, tag, multiple)
        if not requeue:
            if channel.collects():
                channel.rejected |= channel.machine.named(tag, multiple)
            else:
                self.give_up_rejected(channel, channel.machine.named(tag, multiple))
        with self.returned(loans if requeue else []):
            self.system.consumer_rejects(channel.id, tag, multiple, requeue)
        for queue, msg in [] if requeue else loans:
            self.contents.acknowledge(queue, msg)
        self.clear(channel)

    def give_up_rejected(self, channel: ConsumingChannel, tags: Iterable[Tag]) -> None:
        """What is rejected for good becomes dead letters, when its queue hears of it."""
        for queue, msg in channel.loans(tags):
            self.contents.give_up(queue, content_of(msg), Cause.REJECTED)
        for queue, msg in channel.loans_across(tags):
            queue.rejected.add(msg)

    def _settled(
        self, channel: ConsumingChannel, tag: Option[Tag], multiple: bool
    ) -> list[Loan[HostedQueue]]:
        """Return what a client settles now; in a transaction that waits for the commit (A13.2)."""
        return [] if channel.collects() else channel.loans(channel.machine.named(tag, multiple))

    @observed
    def acks_arrive(self, queue: HostedQueue) -> None:
        """What clients were done with across a partition leaves its queue later (A12.4, F1.4)."""
        done = sorted(self.system.acks_across[queue.key])
        for msg in done:
            if msg in queue.rejected:
                self.contents.give_up(queue, content_of(msg), Cause.REJECTED)
        queue.rejected.clear()
        self.system.acks_arrive(queue.key)
        for msg in done:
            self.contents.acknowledge(queue, msg)

    @observed
    def regain(self, queue: HostedQueue) -> None:
        """A process takes back what nobody has any more, now that it knows (B7.2, B7.5)."""
        with self.returned([Loan(queue, m) for m in sorted(self.system.abandoned(queue.key))]):
            self.system.regain(queue.key)

    @observed
    def recover(self, channel: ConsumingChannel) -> None:
        """A client has everything requeued that it has not settled (F1.5)."""
        machine = channel.machine
        if not machine.unacked:  # nothing happens, and the client is told so
            machine.emit(RecoverOk(channel.id))
            return
        with self.returned(channel.loans(machine.unacked)):
            self.system.recover(channel.id)
        self.clear(channel)

    @contextmanager
    def shortened(
        self, queue: HostedQueue, coming: Collection[Msg], *, new: bool
    ) -> Iterator[None]:
        """Messages come to a queue in a step, which drops what is over its limit (B5.2, B5.7).

        Args:
            queue: may have a limit.
            coming: those that come.
            new: they have never been there.
        """
        if not queue.limit.exists:
            yield
            return
        queue.limit.expect(coming)
        ready = cast(PlacedSet, queue.machine.ready)
        ready.note()
        try:
            yield
        finally:
            left = ready.noted()
        for msg in left:
            if queue.has(msg):
                continue  # a consumer has it
            if new and msg in coming:  # it has not counted yet, nor was the disk given it
                queue.limit.enters(content_of(msg))
                queue.buffered[msg] = None
            self.contents.give_up(queue, content_of(msg), Cause.MAXLEN)
            self.contents.drop(queue, msg)

    @contextmanager
    def returned(self, loans: Collection[Loan[HostedQueue]]) -> Iterator[None]:
        """Messages return to their places in a step, and a queue may have too many (B7.3)."""
        coming: dict[HostedQueue, list[Msg]] = {}
        for queue, msg in loans:
            coming.setdefault(queue, []).append(msg)
        with ExitStack() as stack:
            for queue, msgs in coming.items():
                stack.enter_context(self.shortened(queue, msgs, new=False))
            yield
            for queue, msg in loans:
                self.contents.requeue(queue, msg)

    # -- limits and times ---------------------------------------------------------------------

    def limit(self, channel: ConsumingChannel, prefetch: int, *, shared: bool) -> None:
        """Set a limit: for the channel, or for the consumers that start from now on (F2.2).

        The specification has limits as constants, since an instance has them from its beginning.
        Setting the second lifts the first.
        """
        channel.machine.shared_prefetch = prefetch if shared else 0
        if not shared:
            channel.prefetch = prefetch
        self.context.offers.wake(channel)

    def clear(self, channel: ConsumingChannel) -> None:
        """What kept the broker from delivering on a channel is perhaps over.

        Of a client that does not read, or has more than is remembered, the specification does not
        speak.
        """
        if channel.choked:
            channel.choked = False
            self.context.offers.wake(channel)

    def expire_due(self) -> None:
        """Take the steps that are due by the clock; what is apart is looked at when it is back."""
        for queue in self.timers.due():
            if self.system.apart(queue.key):
                continue
            self.contents.expire(queue)
            if self.timers.is_unused(queue):
                self.unused(queue)
            self.timers.watch(queue)
