"""The steps by which messages leave queues, as the broker takes them.

These are parts of `ackproof.spec.queueing` and `ackproof.spec.consuming` once more; see
`ackproof.impl.steps.core`.  A queue serves its consumers by the step `serve`, which is the
specification's `hand_out` with the arguments that `ackproof.impl.machines.queue_consumers` chooses:
the head of the queue goes to the consumer whose turn it is, if the machines say that it has room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from ackproof.impl.machines.channels import ConsumingChannel, HostedConsumer
from ackproof.impl.machines.publication import confirming, content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.ending import EndingSteps
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.lang import require
from ackproof.spec.sorts import Msg, Queue

__all__ = ["DeliveringSteps"]


def _nothing(_: HostedQueue) -> None:
    """Nobody is to be told."""


@dataclass
class DeliveringSteps(EndingSteps):
    """Consumers are started and stopped, and get messages (F1.1, F2).

    Attributes:
        unused: called with an auto-delete queue whose last consumer has gone.
    """

    unused: Callable[[HostedQueue], None] = _nothing

    # -- starting and stopping ------------------------------------------------------------------

    @observed
    def consume(self, consumer: HostedConsumer) -> None:
        """A consumer is started on a queue that is there (F2.2)."""
        require(consumer.channel.machine.open and consumer.queue.machine.leads())
        consumer.machine.start()
        consumer.queue.consumers.add(consumer)
        self._offer_service(consumer.queue)

    @observed
    def cancel(self, consumer: HostedConsumer) -> None:
        """A consumer is stopped by its client; what it has it may still settle (B7.6)."""
        require(consumer.channel.machine.open and consumer.machine.active)
        consumer.machine.stop()
        consumer.channel.machine.cancelled(consumer.key)
        self._leave(consumer)

    def _leave(self, consumer: HostedConsumer) -> None:
        """A consumer has ended; its queue may go with it, or serve another one instead (B8.2)."""
        queue = consumer.queue
        consumer.channel.forget(consumer)
        queue.consumers.remove(consumer)
        if queue.consumers:
            self._offer_service(queue)
        elif queue.auto_delete:
            self.unused(queue)

    # -- delivering -----------------------------------------------------------------------------

    def serves(self, queue: HostedQueue, consumer: HostedConsumer) -> bool:
        """Tell whether a queue may hand a message to a consumer (B3.1, F2.4)."""
        channel, machine = consumer.channel, consumer.machine
        waits = machine.active and channel.machine.open and channel.reads()
        waits = waits and (machine.no_ack or not channel.full)
        return (
            waits
            and queue.machine.leads()
            and channel.machine.admits(consumer.key, machine.prefetch, machine.no_ack)
        )

    def _next(self, queue: HostedQueue) -> HostedConsumer | None:
        """Return the consumer that a queue serves next; those it cannot serve are parked."""
        while (consumer := queue.consumers.next()) is not None:
            if self.serves(queue, consumer):
                return consumer
            queue.consumers.park(consumer)
        return None

    def serve(self, queue: HostedQueue) -> None:
        """The head of a queue goes to the consumer whose turn it is (B3.5)."""
        msg = queue.machine.head()
        require(msg is not None)
        assert msg is not None
        consumer = self._next(queue)
        require(consumer is not None)
        assert consumer is not None
        self.hand_out(msg, queue, consumer)
        queue.consumers.served(consumer)
        self._offer_service(queue)

    @observed
    def hand_out(self, msg: Msg, queue: HostedQueue, consumer: HostedConsumer) -> None:
        """The head of a queue goes to a consumer that has room for it (B3.2, F2.2)."""
        require(self.serves(queue, consumer) and queue.machine.head() == msg)
        redelivered = msg in queue.machine.delivered
        channel, no_ack = consumer.channel, consumer.machine.no_ack
        channel.shown = content_of(msg)
        channel.machine.deliver(msg, queue.key, consumer.key, redelivered, no_ack)
        self._part_with(msg, queue, channel, no_ack)

    def _accept(self, msg: Msg, queue: HostedQueue) -> None:
        """A message arrives: a waiting consumer may take it past the queue (B3.1)."""
        if queue.consumers:
            consumer = None if queue.machine.ready else self._next(queue)
            if consumer is not None and (consumer.machine.no_ack or queue.machine.roomless()):
                self.hand_on(msg, queue, consumer)
                return
            if queue.consumers.next() is not None:
                self._offer(Action.SERVE, None, queue)
        super()._accept(msg, queue)

    @observed
    def hand_on(self, msg: Msg, queue: HostedQueue, consumer: HostedConsumer) -> None:
        """A message arrives at an empty queue where a consumer waits that has room for it (B3.1).

        One without acks takes it past the store, for one with acks it is stored (B3.2, B3.3).
        """
        channel, no_ack = consumer.channel, consumer.machine.no_ack
        require(self.serves(queue, consumer) and (no_ack or queue.machine.roomless()))
        channel.shown = content_of(msg)
        channel.machine.deliver(msg, queue.key, consumer.key, False, no_ack)
        channel.shown = None
        if no_ack:
            queue.machine.pass_by(msg, confirming(msg))
            if queue.machine.outbox:
                self._offer(Action.CONFIRM_ARRIVES, None, queue)
        else:
            super()._accept(msg, queue)
            queue.machine.take(msg)
            queue.lend_to(channel)
        queue.consumers.served(consumer)

    @observed
    def get(self, queue: HostedQueue, channel: ConsumingChannel, no_ack: bool) -> None:
        """A client asks for the head of a queue, whatever the limits (F1.1, F2.3, F3.5)."""
        require(channel.machine.open and queue.machine.leads())
        msg = queue.machine.head()
        of = cast(Queue, queue.key)
        if msg is None:
            channel.machine.answer_empty(of)
            return
        redelivered = msg in queue.machine.delivered
        channel.shown = content_of(msg)
        channel.remaining = len(queue.machine.ready) - 1
        channel.machine.answer(msg, queue.key, of, redelivered, no_ack)
        self._part_with(msg, queue, channel, no_ack)

    def _part_with(
        self, msg: Msg, queue: HostedQueue, channel: ConsumingChannel, no_ack: bool
    ) -> None:
        """A message has been handed out: it is with a client, or consumed by that (B3, C4.4)."""
        channel.shown = None
        if no_ack:
            self.drop(queue, msg)
        else:
            self.take(queue, msg)
            queue.lend_to(channel)

    # -- what happens to a message in its queue -------------------------------------------------

    @observed
    def take(self, queue: HostedQueue, msg: Msg) -> None:
        """A client has the head of a queue, and will acknowledge it (B3.2)."""
        queue.machine.take(msg)

    @observed
    def acknowledge(self, queue: HostedQueue, msg: Msg) -> None:
        """A client is done with a message: it is consumed (B7.1, C4.4)."""
        queue.machine.acknowledge(msg)
        self._gone(queue, msg)

    @observed
    def requeue(self, queue: HostedQueue, msg: Msg) -> None:
        """A message comes back to its place (B7.2, B7.3)."""
        queue.machine.requeue(msg)
        self._offer_service(queue)

    def _offer_service(self, queue: HostedQueue) -> None:
        if queue.machine.ready and queue.consumers.next() is not None:
            self._offer(Action.SERVE, None, queue)
