"""The times of queues: when the head of one expires, and when one was unused for too long (B4).

A queue is looked at when its head expires, or when it goes itself.  Only the head matters: a
message behind one that lives longer stays until that is gone (B4.2).  To use a queue with
`x-expires` is to consume from it, to ask for a message, or to declare it again.

Nothing happens here.  What becomes of a message or a queue whose time is over, the steps say
(`ackproof.impl.steps.serving`).
"""

from __future__ import annotations

import time

from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.deadlines import Clock, Deadlines
from ackproof.spec.sorts import Msg, Status

__all__ = ["QueueTimers"]

_NEVER = float("inf")


class QueueTimers:
    """Knows which queues are to be looked at, and when.

    Attributes:
        clock: tells the time, in seconds.
        deadlines: when there may be something to do.
    """

    def __init__(self) -> None:
        self.clock: Clock = time.time
        self.deadlines: Deadlines[HostedQueue] = Deadlines()

    @property
    def next(self) -> float | None:
        """Return when there may be something to do; None for never."""
        return self.deadlines.next

    def due(self) -> list[HostedQueue]:
        """Return the queues to be looked at by now."""
        return self.deadlines.due(self.clock()) if self.deadlines.next is not None else []

    def begin(self, queue: HostedQueue, msg: Msg, lifetime: float) -> None:
        """A message is in a queue from now on, for so many seconds.

        A time that a mirror's master counts goes on.
        """
        leader = queue if queue.membership is None else queue.membership.leader
        due = leader.expiries.get(msg)
        queue.expiries[msg] = self.clock() + lifetime if due is None else due

    def expired_head(self, queue: HostedQueue) -> Msg | None:
        """Return the head of a queue if its time is over."""
        head = queue.machine.head() if queue.expiries else None
        due = _NEVER if head is None else queue.expiries.get(head, _NEVER)
        return head if due < _NEVER and due <= self.clock() else None

    def used(self, queue: HostedQueue) -> None:
        """Somebody uses a queue, or it is new, or there again."""
        if queue.lease is not None:
            queue.last_used = self.clock()
        self.watch(queue)

    def is_unused(self, queue: HostedQueue) -> bool:
        """Tell whether nobody has used a queue for too long."""
        return self._unused_until(queue) <= self.clock()

    def _unused_until(self, queue: HostedQueue) -> float:
        """Return when a queue has been unused for too long, if nobody uses it."""
        if queue.lease is None or queue.consumers or queue.machine.status is Status.DELETED:
            return _NEVER
        return queue.last_used + queue.lease

    def watch(self, queue: HostedQueue) -> None:
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

    def forget(self, queue: HostedQueue) -> None:
        """A process has ended: nothing of it can expire, until it starts again."""
        self.deadlines.forget(queue)
