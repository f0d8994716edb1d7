"""Messages get their ids, and are on their way: how publishing becomes a step.

A message has one id in all queues that it is routed to.  Ids are numbers, given out in the order in
which messages are published, whoever publishes them; a queue is in the order of the ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from ackproof.impl.machines.consuming import ConsumingChannel
from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.machines.publishing import PublishingChannel
from ackproof.impl.steps.expiring import ExpiringSteps
from ackproof.impl.wire.content import Message
from ackproof.spec.sorts import Msg

__all__ = ["Messages"]


class Messages:
    """Publishes messages that were routed.

    Attributes:
        steps: the steps of the specification.
        last_message: id of the message that was published last.
    """

    steps: ExpiringSteps
    last_message: int = 0

    def publish(
        self, channel: PublishingChannel, message: Message, targets: Iterable[HostedQueue]
    ) -> None:
        """Publish a message that was routed.

        Args:
            channel: where it was published.
            message: what was published.
            targets: the queues it was routed to, each once.
        """
        if channel.in_transaction():
            self.steps.publish_in_tx(channel, message, targets)
            return
        self.send(channel, message, targets)
        self.steps.run(idle=False)

    def publish_at_once(
        self, channel: PublishingChannel, message: Message, targets: Iterable[HostedQueue]
    ) -> None:
        """Publish a message to those queues that can hand it to a consumer now (A6.6)."""
        self.last_message += 1
        msg = cast(Msg, self.last_message)
        self.steps.publish_at_once(channel, msg, message, targets)
        self.steps.run(idle=False)

    def send(
        self, channel: PublishingChannel, message: Message, targets: Iterable[HostedQueue]
    ) -> None:
        """Publish a message outside of a transaction; it is on its way then, and no more."""
        self.last_message += 1
        self.steps.publish(channel, cast(Msg, self.last_message), message, targets)

    def commit(self, channel: PublishingChannel, consuming: ConsumingChannel) -> None:
        """Commit the transaction of a channel, which publishes and consumes (A13.3)."""
        first = self.last_message + 1
        self.last_message += len(channel.batch)
        ids = [cast(Msg, number) for number in range(first, self.last_message + 1)]
        self.steps.tx_commit(channel, consuming, ids)
        self.steps.run(idle=False)
