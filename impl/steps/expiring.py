"""The steps by which messages and queues end because of time (B4).

A message expires when it has been in its queue for as long as the queue's `x-message-ttl` or its
own `expiration` says.  It leaves by the specification's step `drop`, so it is confirmed if it still
had to be (B4.3).  Only the head of a queue is looked at: a message behind one that lives longer
stays until that is gone (B4.2).  But nothing that has expired is handed out.

A time of 0 means now or never: a message is handed to a consumer that waits, or expires (B4.1).

A queue with `x-expires` is deleted when nobody has used it for that long.  To use it is to consume
from it, to ask for a message, or to declare it again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ackproof.impl.machines.channels import ConsumingChannel, HostedConsumer
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.deadlines import Clock, Deadlines
from ackproof.impl.steps.limiting import LimitingSteps
from ackproof.impl.steps.x_death import Cause
from ackproof.spec.sorts import Msg, Status

__all__ = ["ExpiringSteps"]

_NEVER = float("inf")


@dataclass
class ExpiringSteps(LimitingSteps):
    """Messages leave when their time is over, and queues that nobody uses go.

    Attributes:
        clock: tells the time.
        deadlines: when there may be something to do.
    """

    clock: Clock = time.time
    deadlines: Deadlines[HostedQueue] = field(default_factory=Deadlines)

    @property
    def due(self) -> float | None:
        """Return when there may be something to do, by the clock; None for never."""
        return self.deadlines.next

    def expire_due(self) -> None:
        """Take the steps that are due by the clock."""
        if self.deadlines.next is None:
            return
        for queue in self.deadlines.due(self.clock()):
            self._expire(queue)
            if self._unused_until(queue) <= self.clock():
                self.unused(queue)
            self._watch(queue)

    # -- messages -------------------------------------------------------------------------------

    def _expire(self, queue: HostedQueue) -> None:
        """Drop what has expired, from the head of a queue (B4.2, B4.3)."""
        while (head := self._expired_head(queue)) is not None:
            self.give_up(queue, content_of(head), Cause.EXPIRED)
            self.let_go(queue, head)

    def _expired_head(self, queue: HostedQueue) -> Msg | None:
        head = queue.machine.head() if queue.expiries else None
        due = _NEVER if head is None else queue.expiries.get(head, _NEVER)
        return head if due < _NEVER and due <= self.clock() else None

    def serve(self, queue: HostedQueue) -> None:
        """The head of a queue goes to a consumer, if it has not expired."""
        self._expire(queue)
        self.serve_head(queue)

    def get(self, queue: HostedQueue, channel: ConsumingChannel, no_ack: bool) -> None:
        """A client asks for the head of a queue, which has not expired."""
        self._expire(queue)
        self.used(queue)
        super().get(queue, channel, no_ack)

    def take(self, queue: HostedQueue, msg: Msg) -> None:
        """A client has the head of a queue; the next one may expire earlier."""
        super().take(queue, msg)
        self._watch(queue)

    def drop(self, queue: HostedQueue, msg: Msg) -> None:
        """A message leaves its queue unseen; the next one may expire earlier."""
        super().drop(queue, msg)
        self._watch(queue)

    def requeue(self, queue: HostedQueue, msg: Msg) -> None:
        """A message comes back; its time has gone on (B7.3)."""
        super().requeue(queue, msg)
        self._watch(queue)

    # -- queues ---------------------------------------------------------------------------------

    def used(self, queue: HostedQueue) -> None:
        """Somebody uses a queue, or it is new, or there again."""
        if queue.lease is not None:
            queue.last_used = self.clock()
        self._watch(queue)

    def _leave(self, consumer: HostedConsumer) -> None:
        """A consumer has ended, and has used its queue until now."""
        super()._leave(consumer)
        self.used(consumer.queue)

    def restart(self, queue: HostedQueue) -> None:
        """A queue is there again, and whatever has expired meanwhile is not."""
        super().restart(queue)
        self.used(queue)

    def _end(self, queue: HostedQueue) -> None:
        """A process has ended; nothing of it can expire, and it looks again when it restarts."""
        super()._end(queue)
        self.deadlines.forget(queue)

    def _unused_until(self, queue: HostedQueue) -> float:
        """Return when a queue has been unused for too long, if nobody uses it."""
        if queue.lease is None or queue.consumers or queue.machine.status is Status.DELETED:
            return _NEVER
        return queue.last_used + queue.lease

    def _watch(self, queue: HostedQueue) -> None:
        """Set the deadline of a queue: its head expires, or it goes itself."""
        if not queue.expiries and queue.lease is None:
            return
        when = self._unused_until(queue)
        if queue.expiries:
            head = queue.machine.head()
            if head is not None:
                when = min(when, queue.expiries.get(head, _NEVER))
        if when < _NEVER:
            self.deadlines.set(queue, when)
