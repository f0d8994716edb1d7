"""The steps by which mirrors follow their master, as the broker takes them.

This is what a message does in a mirrored queue, `ackproof.spec.mirroring` once more; see
`ackproof.impl.steps.core`.  A message is cast to each process of its queues, and each confirms it
by itself; what a master does with it, it tells its mirrors in the same step.  From there `follow`
takes it: `master_tells` and `master_removes` of the specification, whichever is next.  In which way
it goes over the network, and in which order, `ackproof.impl.machines.replicas` says.

Who are the processes of a queue is the business of `ackproof.impl.steps.mirroring`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from ackproof.impl.machines.replicas import Heard, HostedMirror, Record
from ackproof.impl.steps.expiring import ExpiringSteps
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.spec.lang import OrderedSet, require
from ackproof.spec.sorts import Msg, Seen, Status

if TYPE_CHECKING:
    from ackproof.impl.machines.consuming import ConsumingChannel
    from ackproof.impl.machines.hosted import HostedQueue
    from ackproof.impl.machines.publishing import PublishingChannel
    from ackproof.impl.machines.subscriptions import HostedConsumer
    from ackproof.impl.wire.content import Message
    from ackproof.spec.sorts import Replica

__all__ = ["FollowingSteps"]


@dataclass
class FollowingSteps(ExpiringSteps):
    """Messages come to a mirror twice: from the channel, and from the master (D2-D4)."""

    _arriving: Heard | None = field(default=None, init=False)

    # -- publishing -----------------------------------------------------------------------------

    def publish(
        self,
        channel: PublishingChannel,
        msg: Msg,
        message: Message,
        targets: Iterable[HostedQueue],
    ) -> None:
        """A message is published: cast to each process of its queues (A5.5, A6.1)."""
        super().publish(channel, msg, message, _processes(targets))

    def tx_commit(
        self, channel: PublishingChannel, consuming: ConsumingChannel, ids: Sequence[Msg]
    ) -> None:
        """So are the messages of a transaction, to those that there are now (A13.3)."""
        for seq, (message, kept) in list(channel.batch.items()):
            channel.batch[seq] = (message, _processes(kept))
        super().tx_commit(channel, consuming, ids)

    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The oldest message on its way to a process arrives (O2)."""
        if isinstance(queue, HostedMirror) and not queue.machine.led():
            self.deliver_to_mirror(channel, queue)
            return
        if queue.record is None:
            super().deliver(channel, queue)
            return
        msg = channel.network.next_for(queue.key)
        if msg is not None and queue.running:
            self._arriving = Heard(channel, channel.casts[queue.key][msg])
        try:
            super().deliver(channel, queue)
        finally:
            self._arriving = None

    @observed
    def deliver_to_mirror(self, channel: PublishingChannel, mirror: HostedMirror) -> None:
        """The direct copy of a message arrives at a mirror (D4.1-D4.5)."""
        msg = channel.network.next_for(mirror.key)
        require(msg is not None and mirror.machine.mirrors() and not mirror.slow)
        assert msg is not None
        cast_ = channel.arrived(msg, mirror)
        channel.network.receive(msg, mirror.key)
        confirming = cast_.seq is not None
        if cast_.seq is not None:
            mirror.senders[msg] = (channel, cast_.seq)
        mirror.heard[msg] = Heard(channel, cast_)
        mirror.machine.hear(msg, cast_.message.persistent, confirming)
        self._followed(mirror, msg)
        if channel.network.next_for(mirror.key) is not None:
            self._offer(Action.DELIVER, channel, mirror)
        elif not channel.machine.open:
            mirror.leaving[channel] = None
            self._unwatch(channel, mirror)
            self._offer(Action.FORGET_SENDER, channel, mirror)

    # -- the master tells -----------------------------------------------------------------------

    def _accept(self, msg: Msg, message: Message, queue: HostedQueue) -> None:
        """What a master enqueues, its mirrors hear of, unless it was told of it itself (D6.2)."""
        if queue.record is None:
            super()._accept(msg, message, queue)
            return
        if queue.machine.recognises(msg):
            self._accept_again(msg, message, queue)
            return
        super()._accept(msg, message, queue)
        if msg in queue.machine.ready:
            if queue.ranks is not None:
                msg = queue.ranks.rank(msg, message)
            self._tell(queue.record, msg, queue.record.network.copies)

    def _accept_again(self, msg: Msg, message: Message, queue: HostedQueue) -> None:
        queue.machine.accept_again(msg, message.persistent, msg in queue.senders)
        if queue.machine.store.confirmed:
            self._offer(Action.DRAIN, None, queue)
        self._offer(Action.CONFIRM_ARRIVES, None, queue)
        self._offer(Action.REJECT_ARRIVES, None, queue)

    def _refuse(self, msg: Msg, queue: HostedQueue) -> None:
        """What it refuses, they hear of, too (D2.1, B5.6)."""
        record = queue.record
        if record is not None and queue.machine.recognises(msg):
            assert self._arriving is not None
            self._accept_again(msg, self._arriving.cast.message, queue)
            return
        super()._refuse(msg, queue)
        if record is not None:
            self._tell(record, msg, record.network.refusals)

    def hand_on(
        self, msg: Msg, message: Message, queue: HostedQueue, consumer: HostedConsumer
    ) -> None:
        """And what it gives away (B3.3, D2.1)."""
        super().hand_on(msg, message, queue, consumer)
        if queue.record is not None:
            self._tell(queue.record, msg, queue.record.network.discards)

    def _tell(self, record: Record, msg: Msg, way: Mapping[Replica, set[Msg]]) -> None:
        """What becomes of a message is on its way to the mirrors."""
        record.tell(msg, self._arriving, way)
        for mirror in record.mirrors:
            self._offer(Action.FOLLOW, None, mirror)

    def _gone(self, queue: HostedQueue, msg: Msg) -> None:
        """And what leaves the queue (D2.1, D4.15)."""
        super()._gone(queue, msg)
        if queue.record is not None:
            self._tell(queue.record, msg, queue.record.network.removals)

    # -- the mirrors follow ---------------------------------------------------------------------

    def follow(self, mirror: HostedMirror) -> None:
        """A mirror hears the next of what its master has told."""
        record = mirror.record
        require(record is not None and mirror.machine.mirrors() and not mirror.slow)
        assert record is not None
        network = record.network
        require(bool(mirror.told))
        if mirror.told[0].place in network.removals[mirror.key]:
            self._hear_removal(record, mirror)
        else:
            self._hear(record, mirror)
        if not network.silent(mirror.key):
            self._offer(Action.FOLLOW, None, mirror)
            return
        for channel in mirror.leaving:
            self._offer(Action.FORGET_SENDER, channel, mirror)
        if mirror in record.unsynced:
            self._offer(Action.SYNCHRONISE, None, mirror)
        if not record.leader.running:
            self._offer(Action.PROMOTE, None, mirror)

    def _hear(self, record: Record, mirror: HostedMirror) -> None:
        place, msg, heard = mirror.told.popleft()
        fate = Seen.PUBLISHED
        if place in record.network.discards[mirror.key]:
            fate = Seen.DISCARDED
        elif place in record.network.refusals[mirror.key]:
            fate = Seen.REFUSED
        assert heard is not None
        self.master_tells(mirror, msg, fate, heard)
        record.network.learnt(place, mirror.key)

    def _hear_removal(self, record: Record, mirror: HostedMirror) -> None:
        place, msg, _ = mirror.told.popleft()
        record.network.removed(place, mirror.key)
        self.master_removes(mirror, msg)

    @observed
    def master_tells(self, mirror: HostedMirror, msg: Msg, fate: Seen, heard: Heard) -> None:
        """The master's copy of a message arrives at a mirror (D4.6-D4.11)."""
        message, confirming = heard.cast.message, heard.cast.seq is not None
        if fate is Seen.PUBLISHED and msg in mirror.contents and mirror.part_with(msg):
            self.journal.removed(mirror, msg)
        mirror.machine.of_channel = mirror.direct.get(heard.channel, OrderedSet())
        mirror.machine.learn(msg, fate, message.persistent, confirming)
        mirror.heard.setdefault(_plain(msg), heard)
        if fate is Seen.PUBLISHED:
            self._got(mirror, msg, message)
        self._followed(mirror, msg)
        if not heard.channel.machine.open:
            mirror.leaving[heard.channel] = None

    @observed
    def master_removes(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror hears that a message has left the queue (D4.15)."""
        mirror.machine.remove(msg)
        self._lost(mirror, msg)

    def _got(self, mirror: HostedMirror, msg: Msg, message: Message) -> None:
        """A mirror has one message more."""
        assert mirror.record is not None
        mirror.keep(msg, message)
        lifetime = mirror.lifetime(message)
        if lifetime is not None:
            due = mirror.record.leader.expiries.get(msg)
            mirror.expiries[msg] = self.clock() + lifetime if due is None else due
        if mirror.buffered:
            self.journal.buffered(mirror)

    def _lost(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror has one message less, if it had it."""
        if msg in mirror.contents and mirror.part_with(msg):
            self.journal.removed(mirror, msg)
        if mirror.machine.store.confirmed:
            self._offer(Action.DRAIN, None, mirror)

    def _followed(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror may have something to say to a channel."""
        mirror.tidy([msg])
        if mirror.machine.outbox:
            self._offer(Action.CONFIRM_ARRIVES, None, mirror)
        if mirror.machine.refused:
            self._offer(Action.REJECT_ARRIVES, None, mirror)

    def forget_sender(self, channel: PublishingChannel, mirror: HostedMirror) -> None:
        """A mirror has heard from both sides that a channel is gone (D4.16-D4.18)."""
        record = mirror.record
        require(record is not None and not channel.machine.open and mirror.machine.mirrors())
        require(channel.network.next_for(mirror.key) is None)
        assert record is not None
        require(record.network.silent(mirror.key))
        msgs = mirror.of_sender(channel)
        mirror.machine.known_of_channel = msgs
        mirror.machine.forget_sender()
        mirror.tidy(msgs)
        for msg in msgs:
            if msg not in mirror.machine.owes():
                mirror.senders.pop(msg, None)
        mirror.leaving.pop(channel, None)

    # -- the disks ------------------------------------------------------------------------------

    def sync(self, queue: HostedQueue) -> None:
        """What landed is synced, unless the process is slow."""
        require(not queue.slow)
        super().sync(queue)

    def drain(self, queue: HostedQueue) -> None:
        """A process learns what its store has confirmed, unless it is slow."""
        require(not queue.slow)
        super().drain(queue)

    # -- the way back ---------------------------------------------------------------------------

    def confirm_arrives(self, queue: HostedQueue) -> None:
        """The channels process the confirms that a process has cast (A8.3)."""
        if queue.record is None:
            super().confirm_arrives(queue)
            return
        machine = queue.machine
        require(bool(machine.outbox) and not queue.slow)
        settled: dict[PublishingChannel, None] = {}
        for msg in machine.outbox:
            channel, seq = queue.senders.pop(msg)
            channel.machine.settle(seq, queue.key, queue.record.keys)
            settled[channel] = None
        machine.posted()
        for channel in settled:
            self._answered(channel)
        self._offer_downs(queue)

    def down_arrives(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel learns that a process is gone; the others decide (A9, D5.7)."""
        if queue.record is None:
            super().down_arrives(channel, queue)
            return
        reason = channel.network.downs[queue.key]
        require(reason is not None and queue.recorded)
        require(not queue.machine.outbox and not queue.machine.refused)
        assert reason is not None
        channel.network.heard(queue.key)
        channel.machine.process_down(queue.key, reason, queue.record.keys, queue.machine.led())
        self._unwatch(channel, queue)
        self._answered(channel)

    def close(self, channel: PublishingChannel) -> None:
        """A channel closes; mirrors wait for nothing more of it (D4.16)."""
        followers = [queue for queue in channel.watching if isinstance(queue, HostedMirror)]
        super().close(channel)
        for mirror in followers:
            if mirror.machine.mirrors():
                mirror.leaving[channel] = None
                self._offer(Action.FORGET_SENDER, channel, mirror)


def _processes(targets: Iterable[HostedQueue]) -> list[HostedQueue]:
    """Return the processes that a message for these queues is cast to (A5.5)."""
    found: list[HostedQueue] = []
    for queue in targets:
        if queue.record is None or queue.machine.status is Status.DELETED:
            found.append(queue)
        else:
            found += queue.record
    return found


def _plain(msg: Msg) -> Msg:
    """Return the id of a message as the channel knows it, without its priority."""
    return cast(Msg, int(cast(int, msg)))
