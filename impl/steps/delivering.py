"""The steps by which messages leave queues, as the broker takes them.

A queue serves its consumers by the step `serve`, which is the specification's `hand_out` with the
arguments that `ackproof.impl.machines.queue_consumers` chooses: the head of the queue goes to the
consumer whose turn it is, if the machines say that it has room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ackproof.impl.machines.channels import ConsumingChannel, HostedConsumer
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.ending import EndingSteps
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.lang import require
from ackproof.spec.sorts import Msg

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
        self.system.consume(consumer.key)
        consumer.queue.consumers.add(consumer)
        self._offer_service(consumer.queue)

    @observed
    def cancel(self, consumer: HostedConsumer) -> None:
        """A consumer is stopped by its client; what it has it may still settle (B7.6)."""
        self.system.cancel(consumer.key)
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
        """Tell whether a queue may hand a message to a consumer, whose client reads (B3.1, F2.4).

        No client gets more than the broker is ready to remember of it.
        """
        channel = consumer.channel
        ready = channel.reads() and (consumer.machine.no_ack or not channel.full)
        return ready and self.system.serves(queue.key, consumer.key)

    def _next(self, queue: HostedQueue) -> HostedConsumer | None:
        """Return the consumer that a queue serves next; those it cannot serve are parked."""
        while (consumer := queue.consumers.next()) is not None:
            if self.serves(queue, consumer):
                return consumer
            queue.consumers.park(consumer)
        return None

    def serve(self, queue: HostedQueue) -> None:
        """The head of a queue goes to the consumer whose turn it is."""
        self.serve_head(queue)

    def serve_head(self, queue: HostedQueue) -> None:
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
        channel = consumer.channel
        channel.shown = content_of(msg)
        self.system.hand_out(msg, queue.key, consumer.key)
        self._handed(msg, queue, channel, consumer.machine.no_ack)

    @observed
    def get(self, queue: HostedQueue, channel: ConsumingChannel, no_ack: bool) -> None:
        """A client asks for the head of a queue, whatever the limits (F1.1, F2.3, F3.5)."""
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
            self.drop(queue, msg)
        else:
            self.take(queue, msg)
            queue.lend_to(channel)

    def requeue(self, queue: HostedQueue, msg: Msg) -> None:
        """A message has come back to its place, and may be handed out again (B7.2, B7.3)."""
        super().requeue(queue, msg)
        self._offer_service(queue)

    def _offer_service(self, queue: HostedQueue) -> None:
        if queue.machine.ready and queue.consumers.next() is not None:
            self._offer(Action.SERVE, None, queue)
