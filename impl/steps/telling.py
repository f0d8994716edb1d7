"""The steps by which a mirrored queue is published to, and its master tells its mirrors.

A message is cast to each process of its queues, and each confirms it by itself.  What a master does
with it the system tells the mirrors in the same step; here it is noted which of them may take their
next step, and which messages they will hear to have left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackproof.impl.steps.immediate import ImmediateSteps
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.lang import require
from ackproof.spec.sorts import Msg, Status

if TYPE_CHECKING:
    from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue

__all__ = ["TellingSteps"]


@dataclass
class TellingSteps(ImmediateSteps):
    """Channels ask all processes of a queue, and its master tells the others (A5.5, D2)."""

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

    # -- the master tells -----------------------------------------------------------------------

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
            if not multicast.silent(mirror.key):
                self._offer(Action.FOLLOW, None, mirror)

    # -- what goes wrong ------------------------------------------------------------------------

    @observed
    def lose_node(self, queue: HostedQueue) -> None:
        """The node of a process is killed, with what the process had sent (A9, C5)."""
        self.system.lose_node(queue.key)
        self._silent(queue)
        self._end(queue)

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
