"""The steps of the specification, as the broker takes them.

This is `ackproof.spec.system` once more, action by action and under the same names, for a broker
of many channels.  The system composes one channel, its network and the queues; here the channel
and the queue of a step are arguments, and there is no publisher and no ghost.  Each step calls the
same handlers on the same machines in the same order.  What it does besides is an effect: keep a
content, drop it, tell the journal, offer the steps that have become possible.

No step decides anything.  Whether it is possible, its `require` says, as in the system; what
becomes of a message, the machines say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from ackproof.impl.content import Message
from ackproof.impl.hosted import HostedQueue
from ackproof.impl.journal import Journal
from ackproof.impl.publishing import Cast, PublishingChannel
from ackproof.impl.scheduler import Action, Scheduler, Step
from ackproof.spec.lang import NotEnabled, require
from ackproof.spec.sorts import Level, Msg, Reason, Status

__all__ = ["Steps"]


@dataclass
class Steps:
    """Takes steps, and offers to the scheduler those that they make possible."""

    scheduler: Scheduler
    journal: Journal

    def run(self, idle: bool) -> None:
        """Take steps until the scheduler has no more, or wants input first."""
        while (step := self.scheduler.take(idle)) is not None:
            try:
                self._take(step)
            except NotEnabled:
                continue

    def _take(self, step: Step) -> None:
        action, channel, queue = step
        if action is Action.FLUSH:
            assert channel is not None
            self.flush(channel)
        elif action is Action.DELIVER or action is Action.DOWN_ARRIVES:
            assert channel is not None
            assert queue is not None
            (self.deliver if action is Action.DELIVER else self.down_arrives)(channel, queue)
        else:
            assert queue is not None
            self._OF_QUEUES[action](self, queue)

    # -- what messages do -----------------------------------------------------------------------

    def publish(
        self,
        channel: PublishingChannel,
        msg: Msg,
        message: Message,
        targets: Iterable[HostedQueue],
    ) -> None:
        """A message is published and routed: cast to its queues, then registered (A6.1)."""
        machine = channel.machine
        require(machine.open)
        seq = machine.next_seq if machine.confirming else None
        for queue in targets:
            channel.watch(queue)
            if queue.running:
                channel.network.cast(msg, queue.key)
                channel.carry(msg, Cast(message, seq), queue)
                self._offer(Action.DELIVER, channel, queue)
            else:
                channel.network.refuse(queue.key)
                self._offer(Action.DOWN_ARRIVES, channel, queue)
        channel.publishing = message
        machine.publish({queue.key for queue in targets}, message.mandatory)
        channel.publishing = None
        if machine.confirmed:
            self._offer(Action.FLUSH, channel)

    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The oldest message on its way to a queue arrives and is enqueued (B1, B2, O2)."""
        msg = channel.network.next_for(queue.key)
        require(msg is not None and queue.running)
        assert msg is not None
        message, seq = channel.arrived(msg, queue)
        channel.network.receive(msg, queue.key)
        if seq is not None:
            queue.senders[msg] = (channel, seq)
        queue.machine.accept(msg, message.persistent, seq is not None)
        queue.keep(msg, message)
        if queue.buffered:
            self.journal.buffered(queue)
        if queue.machine.outbox:
            self._offer(Action.CONFIRM_ARRIVES, None, queue)
        if channel.network.next_for(queue.key) is not None:
            self._offer(Action.DELIVER, channel, queue)
        elif not channel.machine.open:
            self._unwatch(channel, queue)

    def landed(self, queue: HostedQueue) -> None:
        """A commit has returned: the spec's `sync` is possible for what was in it."""
        self._offer(Action.SYNC, None, queue)

    def sync(self, queue: HostedQueue) -> None:
        """What landed is synced, one message after another with nothing between (C2.4, C3.1).

        A message that was removed while it was being written has nothing left to sync.
        """
        require(queue.running and bool(queue.landed))
        store = queue.machine.store
        for msg in queue.landed:
            if store.level[msg] is not Level.ABSENT:
                store.sync(msg)
        queue.landed.clear()
        if store.confirmed:
            self._offer(Action.DRAIN, None, queue)

    def drain(self, queue: HostedQueue) -> None:
        """A queue learns what its store has confirmed, and casts the confirms (B6.1)."""
        require(queue.running and bool(queue.machine.store.confirmed))
        queue.machine.drain()
        self._offer(Action.CONFIRM_ARRIVES, None, queue)

    def confirm_arrives(self, queue: HostedQueue) -> None:
        """The channels process the confirms that a queue has cast (A8.3, A8.5)."""
        machine = queue.machine
        require(bool(machine.outbox))
        settled: dict[PublishingChannel, None] = {}
        for msg in machine.outbox:
            channel, seq = queue.senders.pop(msg)
            channel.machine.settle(seq, queue.key, {queue.key})
            settled[channel] = None
        machine.posted()
        for channel in settled:
            if channel.machine.confirmed:
                self._offer(Action.FLUSH, channel)
        self._offer_downs(queue)

    def down_arrives(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel learns that a queue is gone, after all that the queue had sent (A9, O1)."""
        reason = channel.network.downs[queue.key]
        require(reason is not None and not queue.machine.outbox)
        assert reason is not None
        channel.network.heard(queue.key)
        channel.machine.process_down(queue.key, reason, {queue.key}, queue.machine.led())
        self._unwatch(channel, queue)
        if channel.machine.confirmed or channel.machine.rejected:
            self._offer(Action.FLUSH, channel)

    def flush(self, channel: PublishingChannel) -> None:
        """A channel tells its publisher what is settled (A10)."""
        channel.machine.flush()

    def drop(self, queue: HostedQueue, msg: Msg) -> None:
        """A ready message leaves its queue unseen (B4.3, C4.4)."""
        queue.machine.drop(msg)
        if queue.buffered.pop(msg, None) is None and queue.volatile.pop(msg, None) is None:
            self.journal.removed(queue, msg)
        if queue.machine.store.confirmed:
            self._offer(Action.DRAIN, None, queue)

    # -- what goes wrong ------------------------------------------------------------------------

    def crash_queue(self, queue: HostedQueue) -> None:
        """A queue process crashes; what it had sent still arrives (C5, O1)."""
        require(queue.running)
        queue.machine.crash()
        self._end(queue, Reason.ABNORMAL)
        self._offer(Action.RESTART, None, queue)

    def delete_queue(self, queue: HostedQueue) -> None:
        """A queue is deleted, its process ends normally (A9.3).

        If it had no process, its end is not news: the channels hear, or have heard, of the crash.
        """
        require(queue.machine.status is not Status.DELETED)
        ended = queue.running
        queue.machine.delete()
        if ended:
            self._end(queue, Reason.NORMAL)
        if queue.machine.durable:
            self.journal.deleted(queue)

    def restart(self, queue: HostedQueue) -> None:
        """A queue process starts again from its files, when its death is known (C5.1, B8.5)."""
        require(queue.machine.status is Status.DOWN)
        require(all(c.network.downs[queue.key] is None for c in queue.watchers))
        queue.machine.recover()
        if queue.landed:
            self._offer(Action.SYNC, None, queue)

    def close(self, channel: PublishingChannel) -> None:
        """A channel closes, or its connection breaks; the queues go on (A14).

        What is on its way still arrives; until then a queue that dies takes it along.
        """
        channel.machine.close()
        for queue in list(channel.watching):
            if channel.network.next_for(queue.key) is None:
                self._unwatch(channel, queue)

    def _end(self, queue: HostedQueue, reason: Reason) -> None:
        queue.forget()
        for channel in queue.watchers:
            channel.network.end(queue.key, reason)
            channel.casts.pop(queue.key, None)
            self._offer(Action.DOWN_ARRIVES, channel, queue)

    def _unwatch(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel is not concerned by a queue any more, which may have to wait for that."""
        channel.unwatch(queue)
        self._offer(Action.RESTART, None, queue)

    def _offer_downs(self, queue: HostedQueue) -> None:
        if not queue.running:
            for channel in queue.watchers:
                self._offer(Action.DOWN_ARRIVES, channel, queue)

    def _offer(
        self, action: Action, channel: PublishingChannel | None, queue: HostedQueue | None = None
    ) -> None:
        self.scheduler.offer(Step(action, channel, queue))

    _OF_QUEUES: ClassVar[dict[Action, Callable[[Steps, HostedQueue], None]]] = {
        Action.SYNC: sync,
        Action.DRAIN: drain,
        Action.CONFIRM_ARRIVES: confirm_arrives,
        Action.RESTART: restart,
    }
