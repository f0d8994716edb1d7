"""The steps of the specification, as the broker takes them.

Each is an action of the broker's own system (`ackproof.impl.machines.hosted_system`), under its
name: what a message does, how processes and channels end, how a mirror joins and leads, how the
cluster falls apart.  What a step does besides is an effect: tell the journal, offer the steps that
have become possible, forget what nobody asks for any more.  What an action did to each message,
`drop`, `take`, `acknowledge` and `requeue` say, which happen when it has been taken.

What a queue has to say to several channels, it says in one step.  That is as many steps of the
system, of one channel each, with nothing between them.

No step decides anything.  Whether it is possible, its `require` says, as in the system; what
becomes of a message, the machines say.

Here is what happens between a channel, the processes of its queues and the disk.  How clients get
messages and settle them, how they are committed together, how they arrive, how processes end and
lead, and what a partition does, is in the modules beside this one, each of which goes on where the
one before ends: `consuming`, `transacting`, `arriving`, `processes`, `partitioning`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.hosted_system import leave
from ackproof.impl.machines.publication import confirming, content_of, shares
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.queue_timers import QueueTimers
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.taking import Taking
from ackproof.impl.steps.x_death import Cause
from ackproof.impl.storage.journal import Batch
from ackproof.impl.wire.content import Message
from ackproof.lang import require
from ackproof.spec.sorts import ChannelId, Level, Msg, Status

__all__ = ["Steps"]


def _nowhere(_: HostedQueue, __: Message, ___: Cause) -> None:
    """There is no place for dead letters."""


@dataclass
class Steps(Taking):
    """What becomes of messages between a channel, its queues and the disk.

    Attributes:
        publish_dead_letter: called with a message whose dead letter its queue wants published.
        timers: when queues are to be looked at.
    """

    publish_dead_letter: Callable[[HostedQueue, Message, Cause], None] = _nowhere
    timers: QueueTimers = field(default_factory=QueueTimers)

    def reaches(self, queue: HostedQueue) -> bool:
        """Tell whether clients and a process can speak to each other: here always (A12.7)."""
        return True

    # -- what messages do -----------------------------------------------------------------------

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
        self._sent(channel, msg, targets)

    def _sent(self, channel: PublishingChannel, msg: Msg, targets: Iterable[HostedQueue]) -> None:
        """A message is on its way to the processes of queues, or the news that these are gone."""
        asked = _processes(targets)
        for queue in asked:
            if queue not in channel.watching:
                queue.watch_for(channel)
        if self.faults is not None:
            self.faults.published(channel, msg, asked)

    def _tell(self, queue: HostedQueue, msg: Msg) -> None:
        """A master has told its mirrors what became of a message (D2.1)."""
        if queue.membership is None:
            return
        sender = self.channels.get(Msg.owner(msg))
        multicast = self.system.multicast
        for mirror in queue.membership.mirrors:
            if msg in multicast.removals[mirror.key]:
                mirror.departing.append(msg)
            if sender is not None and not sender.machine.open:
                mirror.await_end(sender)

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
        require(queue.running and bool(queue.landed) and not queue.slow)
        store = queue.machine.store
        landed = queue.landed if self.faults is None else self.faults.free(queue.landed)
        require(bool(landed))
        chosen = list(self.scheduler.some(landed))
        for msg in chosen:
            if store.level[msg] is not Level.ABSENT:
                self.system.sync(msg, queue.key)
        if len(chosen) == len(queue.landed):
            queue.landed.clear()
        else:
            queue.landed = [msg for msg in queue.landed if msg not in chosen]
            self._offer(Action.SYNC, None, queue)

    @observed
    def drain(self, queue: HostedQueue) -> None:
        """A queue learns what its store has confirmed, and casts the confirms (B6.1)."""
        require(not queue.slow)
        self.system.drain(queue.key)

    @observed
    def confirm_arrives(self, queue: HostedQueue) -> None:
        """The channels process the confirms that a queue has cast (A8.3, A8.5, D7.4).

        An action looks at all that was cast for what is its channel's; so it is shown that only.
        """
        require(bool(queue.machine.outbox) and not (queue.slow or self.system.apart(queue.key)))
        for channel, msgs in shares(queue.machine.outbox):
            queue.machine.outbox = msgs
            self.system.confirm_arrives(channel, queue.key)
            self._heard(channel)
        self._dispose(queue)

    @observed
    def reject_arrives(self, queue: HostedQueue) -> None:
        """The channels process the rejects that a queue has cast (A8.4)."""
        require(bool(queue.machine.refused) and not self.system.apart(queue.key))
        for channel, msgs in shares(queue.machine.refused):
            queue.machine.refused = msgs
            self.system.reject_arrives(channel, queue.key)
            self._heard(channel)
        self._dispose(queue)

    def _heard(self, channel: ChannelId) -> None:
        """A channel has heard something; one that is closed lets it have no effect (A14.3)."""
        if channel not in self.channels:
            leave(self.system, channel)

    @observed
    def down_arrives(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel learns that a queue is gone, after all that the queue had sent (A9, O1).

        It does when the disk knows who leads instead (D5.7).
        """
        require(queue in channel.watching and queue.recorded)
        self.system.down_arrives(channel.id, queue.key)
        self._unwatch(channel, queue)

    @observed
    def flush(self, channel: PublishingChannel) -> None:
        """A channel tells its publisher what is settled (A10)."""
        require(channel.id in self.channels)
        if self.faults is None:
            self.system.flush(channel.id)
        else:
            self.faults.tell(channel, lambda: self.system.flush(channel.id))

    # -- what has happened to a message in its queue --------------------------------------------

    def give_up(self, queue: HostedQueue, message: Message, cause: Cause) -> None:
        """A message will not be delivered from a queue, and leaves it, or does not enter it.

        Its dead letter is published just before it goes, as RabbitMQ does (B4.4).
        """
        if queue.dead_letter_exchange is not None:
            self.publish_dead_letter(queue, message, cause)

    def let_go(self, queue: HostedQueue, msg: Msg) -> None:
        """The head of a queue leaves it unseen: it expires, or is purged (B4.3, B8.4)."""
        self.system.drop(msg, queue.key)
        self.drop(queue, msg)

    def _expire(self, queue: HostedQueue) -> None:
        """Drop what has expired, from the head of a queue, if home sees that (B4.2, B4.3)."""
        while (head := self.timers.expired_head(queue)) is not None:
            if self.system.apart(queue.key):
                return
            self.give_up(queue, content_of(head), Cause.EXPIRED)
            self.let_go(queue, head)

    @observed
    def drop(self, queue: HostedQueue, msg: Msg) -> None:
        """A ready message has left its queue unseen, and makes room (B4.3, C4.4)."""
        self._gone(queue, msg)
        if queue.limit.exists:
            queue.limit.leaves(content_of(msg))
        self.timers.watch(queue)

    @observed
    def take(self, queue: HostedQueue, msg: Msg) -> None:
        """A client has got the head of a queue, and will acknowledge it (B3.2, B5.1)."""
        if queue.limit.exists:
            queue.limit.leaves(content_of(msg))
        self.timers.watch(queue)

    @observed
    def acknowledge(self, queue: HostedQueue, msg: Msg) -> None:
        """A client was done with a message: it is consumed (B7.1, C4.4)."""
        self._gone(queue, msg)

    @observed
    def requeue(self, queue: HostedQueue, msg: Msg) -> None:
        """A message has come back to its place, counts again, and its time has gone on (B7.3)."""
        if queue.limit.exists:
            queue.limit.enters(content_of(msg))
        self.timers.watch(queue)

    def _keep(self, queue: HostedQueue, msg: Msg) -> None:
        """A process has one message more, which the disk may have to be given (C2.1)."""
        queue.keep(msg)
        if queue.buffered:
            self.journal.buffered(queue)

    def _gone(self, queue: HostedQueue, msg: Msg) -> None:
        """A message has left its queue: the disk has to know, if it knows of the message."""
        if queue.part_with(msg):
            self.journal.removed(queue, msg)
        self._tell(queue, msg)

    # -- nobody asks any more -------------------------------------------------------------------

    def _unwatch(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel is not concerned by a queue any more, which may have to wait for that.

        In the specification a closed channel goes on to hear of it.
        """
        queue.unwatch_for(channel)
        self._offer(Action.RESTART, None, queue)
        self._forget(channel)
        self._dispose(queue)

    def _dispose(self, queue: HostedQueue) -> None:
        """Nobody asks for a queue any more that is deleted, and of which all have heard that."""
        over = queue.over() if queue.membership is None else queue.membership.over()
        if over:
            queue.leave()

    def _forget(self, channel: PublishingChannel) -> None:
        """Nobody asks for a channel any more that is closed, and nothing of it is on its way."""
        if not (channel.machine.open or channel.watching or channel.leaving):
            self.channels.pop(channel.id, None)
            channel.forget()

    def _offer_downs(self, queue: HostedQueue) -> None:
        if not queue.running:
            for channel in queue.watchers:
                self._offer(Action.DOWN_ARRIVES, channel, queue)


def _processes(targets: Iterable[HostedQueue]) -> list[HostedQueue]:
    """Return the processes that a message for these queues is cast to (A5.5)."""
    found: list[HostedQueue] = []
    for queue in targets:
        if queue.membership is None or queue.machine.status is Status.DELETED:
            found.append(queue)
        else:
            found += queue.membership.listed()
    return found
