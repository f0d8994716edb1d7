"""The steps by which queues end and come back, and what follows when a channel has closed.

How a process ends is said by the faults of `ackproof.spec.failing`, whoever has asked for it.  What
was sent before still arrives, and a channel learns of an end after all that was sent to it (O1).
"""

from __future__ import annotations

from dataclasses import dataclass

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.core import Steps
from ackproof.impl.steps.fault_hooks import FaultHooks
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.spec.sorts import Status

__all__ = ["EndingSteps"]


@dataclass
class EndingSteps(Steps):
    """Queues crash, are deleted and restart; channels have closed (A9, A14, C5)."""

    def _stepped(self, faults: FaultHooks) -> None:
        """A step was taken, or refused: what was asked to end right then ends."""
        faults.strike(self)

    @observed
    def crash_queue(self, queue: HostedQueue) -> None:
        """A queue process crashes; what it had sent still arrives (C5, O1)."""
        self.system.crash_queue(queue.key)
        self._silent(queue)
        self._end(queue)
        self._offer(Action.RESTART, None, queue)

    @observed
    def delete_queue(self, queue: HostedQueue) -> None:
        """A queue is deleted, its processes end normally (A9.3)."""
        self.system.delete_queue(queue.machine.of)
        self._deleted(queue)

    def _deleted(self, queue: HostedQueue) -> None:
        """A process has ended with its queue."""
        queue.slow = False  # there is nothing left to be slow, and what was sent arrives
        self._end(queue)
        if queue.machine.durable:
            self.journal.deleted(queue)
        self._dispose(queue)

    @observed
    def restart(self, queue: HostedQueue) -> None:
        """A queue process starts again from its files, when its death is known (C5.1, B8.5)."""
        self.system.restart(queue.key)
        queue.recovered()
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

    def _closed(self, channel: PublishingChannel) -> None:
        """A channel has closed, or its connection has broken; the queues go on (A14).

        What is on its way still arrives; until then a queue that dies takes it along.
        """
        if self.faults is not None:
            self.faults.closed(channel)
        for queue in list(channel.watching):
            if channel.casts.next_for(queue.key) is None:
                self._unwatch(channel, queue)
        self._forget(channel)

    def _silent(self, queue: HostedQueue) -> None:
        """What a dead master told nobody is lost; here there is nobody to be told (D1.3)."""

    def _end(self, queue: HostedQueue) -> None:
        """A process has ended: what it had sent will arrive, and after that the news (O1)."""
        queue.forget()
        if queue.machine.outbox:
            self._offer(Action.CONFIRM_ARRIVES, None, queue)
        if queue.machine.refused:
            self._offer(Action.REJECT_ARRIVES, None, queue)
        for channel in queue.watchers:
            self._offer(Action.DOWN_ARRIVES, channel, queue)
