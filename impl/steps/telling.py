"""The steps by which a mirrored queue is published to, and its master tells its mirrors.

This is the master's part of `ackproof.spec.mirroring`; see `ackproof.impl.steps.core`.  A message
is cast to each process of its queues, and each confirms it by itself; what a master does with it,
it tells its mirrors in the same step.  In which way that goes over the network, and in which order,
`ackproof.impl.machines.queue_processes` says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackproof.impl.machines.publication import confirming, content_of
from ackproof.impl.machines.queue_processes import HostedMirror, MirrorMembership
from ackproof.impl.steps.expiring import ExpiringSteps
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.lang import require
from ackproof.spec.sorts import Msg, Reason, Status

if TYPE_CHECKING:
    from ackproof.impl.machines.channels import ConsumingChannel, HostedConsumer, PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue
    from ackproof.spec.sorts import Replica

__all__ = ["TellingSteps"]


@dataclass
class TellingSteps(ExpiringSteps):
    """Channels ask all processes of a queue, and its master tells the others (A5.5, D2)."""

    _arriving: PublishingChannel | None = field(default=None, init=False)

    # -- publishing -----------------------------------------------------------------------------

    def publish(
        self, channel: PublishingChannel, msg: Msg, targets: Collection[HostedQueue]
    ) -> None:
        """A message is published: cast to each process of its queues (A5.5, A6.1)."""
        super().publish(channel, msg, _processes(targets))

    def tx_commit(self, channel: PublishingChannel, consuming: ConsumingChannel) -> None:
        """So are the messages of a transaction, to those that there are now (A13.3)."""
        for msg, kept in list(channel.batch.items()):
            channel.batch[msg] = _processes(kept)
        super().tx_commit(channel, consuming)

    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A message arrives at a master, which tells what it does with it (D2.1)."""
        self._arriving = channel
        try:
            super().deliver(channel, queue)
        finally:
            self._arriving = None

    # -- the master tells -----------------------------------------------------------------------

    def _accept(self, msg: Msg, queue: HostedQueue) -> None:
        """What a master enqueues, its mirrors hear of, unless it was told of it itself (D6.2)."""
        if queue.membership is None:
            super()._accept(msg, queue)
            return
        if queue.machine.recognises(msg):
            self._accept_again(msg, queue)
            return
        super()._accept(msg, queue)
        if queue.has(msg):
            self._tell(queue.membership, msg, queue.membership.multicast.copies)

    def _accept_again(self, msg: Msg, queue: HostedQueue) -> None:
        queue.machine.accept_again(msg, content_of(msg).persistent, confirming(msg))
        if queue.machine.store.confirmed:
            self._offer(Action.DRAIN, None, queue)
        self._offer(Action.CONFIRM_ARRIVES, None, queue)
        self._offer(Action.REJECT_ARRIVES, None, queue)

    def _refuse(self, msg: Msg, queue: HostedQueue) -> None:
        """What it refuses, they hear of, too (D2.1, B5.6)."""
        membership = queue.membership
        if membership is not None and queue.machine.recognises(msg):
            self._accept_again(msg, queue)
            return
        super()._refuse(msg, queue)
        if membership is not None:
            self._tell(membership, msg, membership.multicast.refusals)

    def hand_on(self, msg: Msg, queue: HostedQueue, consumer: HostedConsumer) -> None:
        """And what it gives away (B3.3, D2.1)."""
        super().hand_on(msg, queue, consumer)
        if queue.membership is not None and consumer.machine.no_ack:
            self._tell(queue.membership, msg, queue.membership.multicast.discards)

    def _tell(
        self, membership: MirrorMembership, msg: Msg, way: Mapping[Replica, set[Msg]]
    ) -> None:
        """What becomes of a message is on its way to the mirrors."""
        mirrors = self.mirrors_of(membership)
        membership.tell(msg, self._arriving, way, mirrors)
        for mirror in mirrors:
            self._offer(Action.FOLLOW, None, mirror)

    def mirrors_of(self, membership: MirrorMembership) -> list[HostedMirror]:
        """Return the mirrors that hear what the master does (D1.2, D2.1)."""
        return membership.mirrors

    def _gone(self, queue: HostedQueue, msg: Msg) -> None:
        """And what leaves the queue (D2.1, D4.15)."""
        super()._gone(queue, msg)
        if queue.membership is not None:
            self._tell(queue.membership, msg, queue.membership.multicast.removals)

    # -- what goes wrong ------------------------------------------------------------------------

    @observed
    def lose_node(self, queue: HostedQueue) -> None:
        """The node of a process is killed, with what the process had sent (A9, C5)."""
        require(queue.running)
        queue.machine.crash()
        queue.machine.silence()
        self._fall_silent(queue)
        self._end(queue, Reason.BENIGN)

    def down_arrives(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel learns that a process is gone, when the disk knows who leads (A9, D5.7)."""
        require(queue.recorded)
        super().down_arrives(channel, queue)


def _processes(targets: Iterable[HostedQueue]) -> list[HostedQueue]:
    """Return the processes that a message for these queues is cast to (A5.5)."""
    found: list[HostedQueue] = []
    for queue in targets:
        if queue.membership is None or queue.machine.status is Status.DELETED:
            found.append(queue)
        else:
            found += queue.membership.listed()
    return found
