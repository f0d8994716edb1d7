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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.machines.publishing import Cast, PublishingChannel
from ackproof.impl.steps.observing import Observer, observed
from ackproof.impl.steps.scheduler import Action, Scheduler, Step
from ackproof.impl.storage.journal import Batch, Journal
from ackproof.impl.wire.content import Message
from ackproof.spec.lang import NotEnabled, require
from ackproof.spec.sorts import Level, Msg, Reason, Status

if TYPE_CHECKING:
    from ackproof.impl.oracle.armed import Armed

__all__ = ["Steps"]

#: The names of the methods that take the steps.
_METHODS = {action: action.name.lower() for action in Action}


@dataclass
class Steps:
    """Takes steps, and offers to the scheduler those that they make possible.

    Attributes:
        observers: told of each step, before and after it.
        faults: what was asked to go wrong; None if nothing ever was.
        store: commits a batch and tells whether it could; None if commits are not steps.
        batch: what was given to the disk by the step `write`, until its `commit`.
    """

    scheduler: Scheduler
    journal: Journal
    observers: list[Observer] = field(default_factory=list)
    faults: Armed | None = None
    store: Callable[[Batch], bool] | None = None
    batch: Batch | None = None

    def run(self, idle: bool) -> None:
        """Take steps until the scheduler has no more, or wants input first."""
        while True:
            if self.store is not None and self.journal.pending:
                self._offer(Action.WRITE, None)
            step = self.scheduler.take(idle)
            if step is None:
                return
            try:
                self._take(step)
                if self.faults is not None:
                    self.faults.strike(self)
            except NotEnabled:
                continue

    def _take(self, step: Step) -> None:
        """Call the method of the step's name, with the channel and the queue if it is of them."""
        action, channel, queue = step
        method = getattr(self, _METHODS[action])
        if channel is None:
            method(queue) if queue is not None else method()
        elif queue is None:
            method(channel)
        else:
            method(channel, queue)

    def replicate(self, queue: HostedQueue) -> None:
        """A queue is new, or there again: here it has one process and no mirrors (D1.1)."""

    # -- what messages do -----------------------------------------------------------------------

    @observed
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
        self._cast(channel, msg, Cast(message, seq), targets)
        channel.publishing = message
        machine.publish({queue.key for queue in targets}, message.mandatory)
        channel.publishing = None
        if self.faults is not None:
            self.faults.published(channel, seq, msg, message, targets)
        self._answered(channel)

    def _cast(
        self, channel: PublishingChannel, msg: Msg, cast: Cast, targets: Iterable[HostedQueue]
    ) -> None:
        """Send a message to its queues, or into the void where they were (A5.4, A5.6)."""
        for queue in targets:
            channel.watch(queue)
            if queue.running:
                channel.network.cast(msg, queue.key)
                channel.carry(msg, cast, queue)
                self._offer(Action.DELIVER, channel, queue)
            else:
                channel.network.refuse(queue.key)
                self._offer(Action.DOWN_ARRIVES, channel, queue)

    @observed
    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The oldest message on its way to a queue arrives and is enqueued (B1, B2, O2)."""
        msg = channel.network.next_for(queue.key)
        require(msg is not None and queue.running)
        assert msg is not None
        message, seq = channel.arrived(msg, queue)
        channel.network.receive(msg, queue.key)
        if seq is not None:
            queue.senders[msg] = (channel, seq)
        if self.faults is not None and self.faults.refuses(msg):
            self._refuse(msg, queue)
        else:
            self._accept(msg, message, queue)
            if self.faults is not None:
                self.faults.accepted(msg, queue)
        if channel.network.next_for(queue.key) is not None:
            self._offer(Action.DELIVER, channel, queue)
        elif not channel.machine.open:
            self._unwatch(channel, queue)

    def _accept(self, msg: Msg, message: Message, queue: HostedQueue) -> None:
        queue.machine.accept(msg, message.persistent, msg in queue.senders)
        queue.keep(msg, message)
        if queue.buffered:
            self.journal.buffered(queue)
        if queue.machine.outbox:
            self._offer(Action.CONFIRM_ARRIVES, None, queue)

    def _refuse(self, msg: Msg, queue: HostedQueue) -> None:
        """The queue has no room for a message (B5.4)."""
        queue.machine.refuse(msg, msg in queue.senders)
        if queue.machine.refused:
            self._offer(Action.REJECT_ARRIVES, None, queue)

    # -- the disk -------------------------------------------------------------------------------

    @observed
    def write(self) -> None:
        """The queues give the disk what they have buffered: a commit begins (C3)."""
        require(self.store is not None and self.journal.pending)
        self.batch = self.journal.take()
        self._offer(Action.COMMIT, None)

    @observed
    def commit(self) -> None:
        """The commit that has begun returns, or fails."""
        require(self.store is not None and self.batch is not None and not self.journal.held)
        assert self.store is not None
        assert self.batch is not None
        batch, self.batch = self.batch, None
        if self.store(batch):
            self.committed(batch)

    def committed(self, batch: Batch) -> None:
        """The disk has what was in a batch."""
        for observer in self.observers:
            observer.committed(batch)
        for queue in self.journal.committed(batch):
            self.landed(queue)

    def landed(self, queue: HostedQueue) -> None:
        """A commit has returned: the spec's `sync` is possible for what was in it."""
        self._offer(Action.SYNC, None, queue)

    @observed
    def sync(self, queue: HostedQueue) -> None:
        """What landed is synced, one message after another with nothing between (C2.4, C3.1).

        Or some of it now and some later, as the scheduler says.  A message that was removed while
        it was being written has nothing left to sync.
        """
        require(queue.running and bool(queue.landed))
        store = queue.machine.store
        chosen = list(self.scheduler.some(queue.landed))
        for msg in chosen:
            if store.level[msg] is not Level.ABSENT:
                store.sync(msg)
        if len(chosen) == len(queue.landed):
            queue.landed.clear()
        else:
            queue.landed = [msg for msg in queue.landed if msg not in chosen]
            self._offer(Action.SYNC, None, queue)
        if store.confirmed:
            self._offer(Action.DRAIN, None, queue)

    @observed
    def drain(self, queue: HostedQueue) -> None:
        """A queue learns what its store has confirmed, and casts the confirms (B6.1)."""
        require(queue.running and bool(queue.machine.store.confirmed))
        queue.machine.drain()
        self._offer(Action.CONFIRM_ARRIVES, None, queue)

    @observed
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
            self._answered(channel)
        self._offer_downs(queue)

    @observed
    def reject_arrives(self, queue: HostedQueue) -> None:
        """The channels process the rejects that a queue has cast (A8.4)."""
        machine = queue.machine
        require(bool(machine.refused))
        for msg in machine.refused:
            channel, seq = queue.senders.pop(msg)
            channel.machine.reject(seq, queue.key)
            self._answered(channel)
        machine.rejected()
        self._offer_downs(queue)

    @observed
    def down_arrives(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel learns that a queue is gone, after all that the queue had sent (A9, O1)."""
        reason = channel.network.downs[queue.key]
        require(reason is not None and not queue.machine.outbox and not queue.machine.refused)
        assert reason is not None
        channel.network.heard(queue.key)
        channel.machine.process_down(queue.key, reason, {queue.key}, queue.machine.led())
        self._unwatch(channel, queue)
        self._answered(channel)

    def _answered(self, channel: PublishingChannel) -> None:
        """A channel may have something to tell, by and by (A10.2)."""
        if channel.machine.confirmed or channel.machine.rejected:
            self._offer(Action.FLUSH, channel)

    @observed
    def flush(self, channel: PublishingChannel) -> None:
        """A channel tells its publisher what is settled (A10)."""
        if self.faults is None:
            channel.machine.flush()
        else:
            self.faults.flush(channel)

    @observed
    def drop(self, queue: HostedQueue, msg: Msg) -> None:
        """A ready message leaves its queue unseen (B4.3, C4.4)."""
        queue.machine.drop(msg)
        self._gone(queue, msg)

    def _gone(self, queue: HostedQueue, msg: Msg) -> None:
        """A message has left its queue: the disk has to know, if it knows of the message."""
        if queue.part_with(msg):
            self.journal.removed(queue, msg)
        if queue.machine.store.confirmed:
            self._offer(Action.DRAIN, None, queue)

    # -- what goes wrong ------------------------------------------------------------------------

    @observed
    def crash_queue(self, queue: HostedQueue) -> None:
        """A queue process crashes; what it had sent still arrives (C5, O1)."""
        require(queue.running)
        queue.machine.crash()
        self._end(queue, Reason.ABNORMAL)
        self._offer(Action.RESTART, None, queue)

    @observed
    def delete_queue(self, queue: HostedQueue) -> None:
        """A queue is deleted, its process ends normally (A9.3)."""
        require(queue.machine.leads())
        queue.machine.delete()
        self._end(queue, Reason.NORMAL)
        if queue.machine.durable:
            self.journal.deleted(queue)

    @observed
    def restart(self, queue: HostedQueue) -> None:
        """A queue process starts again from its files, when its death is known (C5.1, B8.5)."""
        require(queue.machine.status is Status.DOWN)
        require(all(c.network.downs[queue.key] is None for c in queue.watchers))
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
            if channel.network.downs[queue.key] is not None:
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
