"""Publishes with `immediate`, as it was before RabbitMQ 3.0: for a consumer, or for nobody (A6.6).

The cast to a queue becomes a call: the queue takes in what the channel
had sent before, serves its consumers, and says whether one of them has room.  A queue that declines
does not get the message.  If every queue declines, the message is returned as 313 NO_CONSUMERS and
confirmed after that, like one that has no queue at all; and that is how it is published then.  A
channel that consumes from several of the queues is asked for room by the first of them only: what
that queue gives it may leave no room for the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, fields

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.arrivals import Arrivals
from ackproof.impl.steps.publishing import Publishing
from ackproof.impl.steps.serving import Serving
from ackproof.impl.wire.content import Message
from ackproof.lang import NotEnabled

__all__ = ["Declined", "Immediate"]


@dataclass(slots=True, eq=False)
class Declined(Message):
    """A message that no consumer could take at once: it is returned with a reason of its own."""


def _declined(message: Message) -> Declined:
    """Return a message as one that has to be returned."""
    values = {one.name: getattr(message, one.name) for one in fields(message)}
    return Declined(**values | {"mandatory": True})


class Immediate:
    """Publishes that wait for nothing."""

    def __init__(self, publishing: Publishing, arrivals: Arrivals, serving: Serving) -> None:
        self.publishing = publishing
        self.arrivals = arrivals
        self.serving = serving

    def publish_at_once(
        self, channel: PublishingChannel, message: Message, targets: Iterable[HostedQueue]
    ) -> None:
        """A message is published to the queues at which a consumer takes it now (A6.6)."""
        routed = list(targets)
        takers = self._takers(channel, routed)
        unroutable = message.mandatory and not routed
        if not takers and not unroutable:
            message = _declined(message)
        self.publishing.publish(channel, channel.next(message), takers)
        for queue in takers:
            self._arrive(channel, queue)

    def _takers(
        self, channel: PublishingChannel, targets: Iterable[HostedQueue]
    ) -> list[HostedQueue]:
        """Return the queues at which a consumer waits that has room."""
        takers: list[HostedQueue] = []
        asked: set[ConsumingChannel] = set()
        for queue in targets:
            self._arrive(channel, queue)
            consumer = None if queue.machine.ready else self.serving.next_consumer(queue)
            if queue.running and consumer is not None and consumer.channel not in asked:
                takers.append(queue)
                asked.add(consumer.channel)
        return takers

    def _arrive(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """What a channel has sent to a queue arrives, and is handed out as far as it can be."""
        with suppress(NotEnabled):
            while channel.casts.next_for(queue.key) is not None:
                self.arrivals.deliver(channel, queue)
        with suppress(NotEnabled):
            while queue.machine.ready:
                self.serving.serve(queue)
