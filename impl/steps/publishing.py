"""The step by which a message is published: cast to its queues, and registered.

What goes to a queue with mirrors is cast to each of its processes, and each confirms it by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.publication import confirming, content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.context import Part
from ackproof.impl.steps.observing import observed
from ackproof.spec.sorts import Msg, Status

__all__ = ["Publishing"]


class Publishing(Part):
    """Messages are on their way to queues (A4, A6)."""

    @observed
    def publish(
        self, channel: PublishingChannel, msg: Msg, targets: Collection[HostedQueue]
    ) -> None:
        """A message is published and routed: cast to its queues, then registered (A6.1).

        It is cast to each process of a queue, and each confirms it by itself (A5.5).  One that
        nobody waits for takes a number, too, if it goes anywhere (A7.1, B2.1).
        """
        message, queues = content_of(msg), {queue.machine.of for queue in targets}
        channel.publishing = message
        if confirming(msg):
            self.system.publish(msg, queues, message.mandatory, message.persistent)
        elif queues:
            self.system.publish_plain(msg, queues, message.persistent)
        else:
            self.system.publish_unroutable(channel.id, message.mandatory)
        channel.publishing = None
        self.sent(channel, msg, targets)

    def sent(self, channel: PublishingChannel, msg: Msg, targets: Iterable[HostedQueue]) -> None:
        """A message is on its way to the processes of queues, or the news that these are gone."""
        asked = _processes(targets)
        for queue in asked:
            if queue not in channel.watching:
                queue.watch_for(channel)
        if self.context.faults is not None:
            self.context.faults.published(channel, msg, asked)


def _processes(targets: Iterable[HostedQueue]) -> list[HostedQueue]:
    """Return the processes that a message for these queues is cast to (A5.5)."""
    found: list[HostedQueue] = []
    for queue in targets:
        if queue.membership is None or queue.machine.status is Status.DELETED:
            found.append(queue)
        else:
            found += queue.membership.listed()
    return found
