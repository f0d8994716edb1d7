"""The steps by which queues and channels end, and queues come back, as the broker takes them.

These are the faults of `ackproof.spec.failing` and `ackproof.spec.closing`, and what clients do to
the same effect; see `ackproof.impl.steps.core`.  What was sent before still arrives, and a channel
learns of an end after all that was sent to it (O1).
"""

from __future__ import annotations

from dataclasses import dataclass

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.core import Steps
from ackproof.impl.steps.fault_hooks import FaultHooks
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.lang import require
from ackproof.spec.sorts import Reason, Status

__all__ = ["EndingSteps"]


@dataclass
class EndingSteps(Steps):
    """Queues crash, are deleted and restart; channels close (A9, A14, C5)."""

    def _stepped(self, faults: FaultHooks) -> None:
        """A step was taken, or refused: what was asked to end right then ends."""
        faults.strike(self)

    @observed
    def crash_queue(self, queue: HostedQueue) -> None:
        """A queue process crashes; what it had sent still arrives (C5, O1)."""
        require(queue.running)
        queue.machine.crash()
        self._fall_silent(queue)
        self._end(queue, Reason.ABNORMAL)
        self._offer(Action.RESTART, None, queue)

    @observed
    def delete_queue(self, queue: HostedQueue) -> None:
        """A queue is deleted, its process ends normally (A9.3)."""
        require(queue.machine.leads())
        self._delete(queue)

    def _delete(self, queue: HostedQueue) -> None:
        queue.machine.delete()
        queue.slow = False  # there is nothing left to be slow, and what was sent arrives
        self._end(queue, Reason.NORMAL)
        if queue.machine.durable:
            self.journal.deleted(queue)
        self._dispose(queue)

    @observed
    def restart(self, queue: HostedQueue) -> None:
        """A queue process starts again from its files, when its death is known (C5.1, B8.5)."""
        require(queue.machine.status is Status.DOWN)
        require(all(c.casts.downs[queue.key] is None for c in queue.watchers))
        queue.recover()
        if queue.landed:
            self._offer(Action.SYNC, None, queue)

    def await_running(self, queue: HostedQueue) -> None:
        """Let a queue that is down start again: who asks something of it waits for that (A9).

        All that has to happen before happens now.
        """
        if queue.machine.status is not Status.DOWN:
            return
        if queue.machine.outbox:
            self.confirm_arrives(queue)
        if queue.machine.refused:
            self.reject_arrives(queue)
        for channel in list(queue.watchers):
            if channel.casts.downs[queue.key] is not None:
                self.down_arrives(channel, queue)
        self.restart(queue)

    @observed
    def close(self, channel: PublishingChannel) -> None:
        """A channel closes, or its connection breaks; the queues go on (A14).

        What is on its way still arrives; until then a queue that dies takes it along.
        """
        channel.machine.close()
        if self.faults is not None:
            self.faults.closed(channel)
        for queue in list(channel.watching):
            if channel.casts.next_for(queue.key) is None:
                self._unwatch(channel, queue)
        self._forget(channel)

    def _fall_silent(self, queue: HostedQueue) -> None:
        """What a dead master told nobody is lost; here there is nobody to be told (D1.3)."""

    def _end(self, queue: HostedQueue, reason: Reason) -> None:
        queue.forget()
        if queue.machine.outbox:
            self._offer(Action.CONFIRM_ARRIVES, None, queue)
        if queue.machine.refused:
            self._offer(Action.REJECT_ARRIVES, None, queue)
        for channel in queue.watchers:
            channel.casts.end(queue.key, reason)
            self._offer(Action.DOWN_ARRIVES, channel, queue)
