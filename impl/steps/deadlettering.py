"""The steps by which messages become dead letters because clients reject them (F1.4).

A message that is rejected for good leaves its queue as one that is acknowledged does; the
specification does not tell them apart.  What is done here besides is to publish the dead letter,
just before the original goes, as RabbitMQ does (B4.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.transacting import TransactingSteps
from ackproof.impl.steps.x_death import Cause
from ackproof.impl.wire.content import Message
from ackproof.lang import Option
from ackproof.spec.sorts import Tag

__all__ = ["DeadLetteringSteps"]


def _nowhere(_: HostedQueue, __: Message, ___: Cause) -> None:
    """There is no place for dead letters."""


@dataclass
class DeadLetteringSteps(TransactingSteps):
    """What is rejected for good goes to the dead letter exchange of its queue, if it has one.

    Attributes:
        publish_dead_letter: called with a message whose dead letter its queue wants published.
    """

    publish_dead_letter: Callable[[HostedQueue, Message, Cause], None] = _nowhere

    def give_up(self, queue: HostedQueue, message: Message, cause: Cause) -> None:
        """A message will not be delivered from a queue, and leaves it, or does not enter it."""
        if queue.dead_letter_exchange is not None:
            self.publish_dead_letter(queue, message, cause)

    def consumer_rejects(
        self, channel: ConsumingChannel, tag: Option[Tag], multiple: bool, requeue: bool
    ) -> None:
        """A client does not want deliveries; those that do not come back become dead letters."""
        if not requeue:
            if channel.collects():
                channel.rejected |= channel.machine.named(tag, multiple)
            for queue, msg in self._settled(channel, tag, multiple):
                self.give_up(queue, content_of(msg), Cause.REJECTED)
        super().consumer_rejects(channel, tag, multiple, requeue)

    def _give_up_rejected(self, consuming: ConsumingChannel) -> None:
        """What was rejected in the transaction becomes dead letters at its commit (A13.3)."""
        rejected, consuming.rejected = consuming.rejected, set()
        for queue, msg in consuming.loans(rejected):
            self.give_up(queue, content_of(msg), Cause.REJECTED)

    def tx_rollback(self, channel: PublishingChannel, consuming: ConsumingChannel) -> None:
        """What was rejected in the transaction was not (A13.6)."""
        super().tx_rollback(channel, consuming)
        consuming.rejected.clear()
