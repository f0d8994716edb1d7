"""The steps of a queue with a length limit, as the broker takes them (B5).

These are `refuse`, `shorten` and `drop_surplus` of the specification once more; see
`ackproof.impl.steps.core`.  The machine says whether a queue is full or too long; what that means
in bytes, `ackproof.impl.machines.length_limit` has told it just before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.deadlettering import DeadLetteringSteps
from ackproof.impl.steps.x_death import Cause
from ackproof.spec.sorts import Msg, Tag

__all__ = ["LimitingSteps"]


@dataclass
class LimitingSteps(DeadLetteringSteps):
    """Full queues refuse what comes, or drop what has waited longest."""

    # -- arriving -------------------------------------------------------------------------------

    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A message arrives, and the oldest may have to go (B1.3, B5.2).

        What consumers can take by then they take before, as RabbitMQ hands it out: these are steps
        that were on offer.
        """
        if not queue.limit.exists:
            super().deliver(channel, queue)
            return
        self._serve_all(queue)
        msg, ready = channel.casts.next_for(queue.key), queue.machine.ready
        came_before = msg in ready
        super().deliver(channel, queue)
        if msg in queue.machine.ready and not came_before:
            self._shorten(queue)

    def _serve_all(self, queue: HostedQueue) -> None:
        while queue.machine.ready and self._next(queue) is not None:
            super().serve(queue)

    def _accept(self, msg: Msg, queue: HostedQueue) -> None:
        """A full queue refuses a message, even if a consumer could take it (B5.3, B5.4)."""
        limit, message = queue.limit, content_of(msg)
        if limit.exists:
            limit.expect(len(message.body))
            if queue.machine.refuses():
                self._refuse(msg, queue)
                if limit.dead_letters_refused:
                    self.give_up(queue, message, Cause.MAXLEN)
                return
        super()._accept(msg, queue)
        if limit.exists and msg in queue.machine.ready:
            limit.enters(message)

    def _shorten(self, queue: HostedQueue) -> None:
        """A queue that is over its limit drops its oldest messages (B5.2, B5.7, B7.3)."""
        if not queue.limit.exists:
            return
        queue.limit.measure()
        while queue.machine.overflows() and (oldest := queue.machine.head()) is not None:
            self.give_up(queue, content_of(oldest), Cause.MAXLEN)
            self.drop(queue, oldest)
            queue.limit.measure()

    # -- leaving and coming back ----------------------------------------------------------------

    def take(self, queue: HostedQueue, msg: Msg) -> None:
        """What a client has does not count (B5.1)."""
        super().take(queue, msg)
        if queue.limit.exists:
            queue.limit.leaves(content_of(msg))

    def drop(self, queue: HostedQueue, msg: Msg) -> None:
        """A ready message leaves its queue unseen, and makes room (C4.4)."""
        super().drop(queue, msg)
        if queue.limit.exists:
            queue.limit.leaves(content_of(msg))

    def requeue(self, queue: HostedQueue, msg: Msg) -> None:
        """What comes back counts again (B7.3)."""
        super().requeue(queue, msg)
        if queue.limit.exists:
            queue.limit.enters(content_of(msg))

    def _put_back(self, channel: ConsumingChannel, tags: Iterable[Tag]) -> None:
        """A queue that messages came back to may have to drop as many (B5.2, B7.3)."""
        queues = _lenders(channel, tags)
        super()._put_back(channel, set(tags))
        for queue in queues:
            self._shorten(queue)

    def _apply(self, consuming: ConsumingChannel) -> None:
        """And so may one to which a transaction has returned some (A13.3)."""
        queues = _lenders(consuming, consuming.machine.returning)
        super()._apply(consuming)
        for queue in queues:
            self._shorten(queue)


def _lenders(channel: ConsumingChannel, tags: Iterable[Tag]) -> dict[HostedQueue, None]:
    """Return the queues that deliveries came from, each once."""
    queues = (channel.lender(tag) for tag in sorted(tags))
    return {queue: None for queue in queues if queue is not None}
