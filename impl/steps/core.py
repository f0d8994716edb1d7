"""The steps of the specification, as the broker takes them.

This is `ackproof.spec.system` once more, action by action and under the same names.  Here the
machines of a step are its arguments, and there is no publisher and no ghost.  Each step calls the
same handlers on the same machines in the same order.  What it does besides is an effect: keep a
content, drop it, tell the journal, offer the steps that have become possible.

What a queue has to say to several channels, it says in one step.  That is as many steps of the
system, of one channel each, with nothing between them.

No step decides anything.  Whether it is possible, its `require` says, as in the system; what
becomes of a message, the machines say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.publishing_machines import Cast
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.taking import Taking
from ackproof.impl.storage.journal import Batch
from ackproof.impl.wire.content import Message
from ackproof.lang import require
from ackproof.spec.sorts import Level, Msg

__all__ = ["Steps"]


@dataclass
class Steps(Taking):
    """What becomes of messages between a channel, its queues and the disk."""

    def reaches(self, queue: HostedQueue) -> bool:
        """Tell whether clients and a process can speak to each other: here always (A12.7)."""
        return True

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
            queue.watch_for(channel)
            if queue.running:
                channel.casts.cast(msg, queue.key)
                channel.carry(msg, cast, queue)
                self._offer(Action.DELIVER, channel, queue)
            else:
                channel.casts.refuse(queue.key)
                self._offer(Action.DOWN_ARRIVES, channel, queue)

    @observed
    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The oldest message on its way to a queue arrives and is enqueued (B1, B2, O2)."""
        msg = channel.casts.next_for(queue.key)
        require(msg is not None and queue.running)
        assert msg is not None
        message, seq = channel.arrived(msg, queue)
        channel.casts.receive(msg, queue.key)
        if seq is not None:
            queue.senders[msg] = (channel, seq)
        if self.faults is not None and self.faults.refuses(msg):
            self._refuse(msg, queue)
        else:
            self._accept(msg, message, queue)
            if self.faults is not None:
                self.faults.accepted(msg, queue)
        if channel.casts.next_for(queue.key) is not None:
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
        try:
            for observer in self.observers:
                observer.committed(batch)
        finally:  # or nothing would ever be committed again
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
        landed = queue.landed if self.faults is None else self.faults.free(queue.landed)
        require(bool(landed))
        chosen = list(self.scheduler.some(landed))
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
        """The channels process the confirms that a queue has cast (A8.3, A8.5, D7.4)."""
        machine = queue.machine
        require(bool(machine.outbox))
        settled: dict[PublishingChannel, None] = {}
        siblings, counts = queue.siblings(), queue.counts()
        for msg in machine.outbox:
            channel, seq = queue.senders.pop(msg)
            if counts:
                channel.machine.settle(seq, queue.key, siblings)
            else:
                channel.machine.note(seq, queue.key, siblings)
            settled[channel] = None
        machine.posted(machine.outbox)
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
        machine.rejected(machine.refused)
        self._offer_downs(queue)

    @observed
    def down_arrives(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel learns that a queue is gone, after all that the queue had sent (A9, O1)."""
        reason = channel.casts.downs[queue.key]
        require(reason is not None and not queue.machine.outbox and not queue.machine.refused)
        assert reason is not None
        channel.casts.heard(queue.key)
        channel.machine.process_down(queue.key, reason, queue.siblings())
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
            self.faults.tell(channel, channel.machine.flush)

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

    def _unwatch(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel is not concerned by a queue any more, which may have to wait for that."""
        queue.unwatch_for(channel)
        self._offer(Action.RESTART, None, queue)

    def _offer_downs(self, queue: HostedQueue) -> None:
        if not queue.running:
            for channel in queue.watchers:
                self._offer(Action.DOWN_ARRIVES, channel, queue)
