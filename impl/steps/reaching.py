"""What a partition keeps from happening, as the broker takes the steps.

This is what `ackproof.spec.partitioning` asks of the steps that there are without it; see
`ackproof.impl.steps.core`.  Nothing crosses a partition.  What was sent to the other side waits
there, until the partition is over or the other side is given up; and a channel tells its publisher
nothing while its node must not speak for the cluster (A12).  A step that could not be taken for
one of these reasons is kept, to be offered again.

How a partition comes and is noticed is in `ackproof.impl.steps.partitioning`, and how it ends in
`ackproof.impl.steps.healing`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackproof.impl.machines.partitioned_cluster import PartitionedCluster
from ackproof.impl.machines.queue_processes import HostedMirror
from ackproof.impl.steps.mirroring import MirroringSteps
from ackproof.impl.steps.scheduler import Action, Step
from ackproof.lang import require

if TYPE_CHECKING:
    from ackproof.impl.machines.channels import HostedConsumer, PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue

__all__ = ["ReachingSteps"]


@dataclass
class ReachingSteps(MirroringSteps):
    """Steps ask whether those that they concern can speak to each other (A12.7, D9).

    Attributes:
        cluster: which nodes are on which side of a partition, and who knows.
    """

    cluster: PartitionedCluster = field(default_factory=PartitionedCluster)
    _kept: dict[Step, None] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.cluster.nodes = self.replicas
        self.system.cluster = self.cluster

    def reaches(self, queue: HostedQueue) -> bool:
        """Tell whether clients can speak to a process; in a partition it need not run (A12.7)."""
        return not self.cluster.cut() or (queue.running and not self.system.apart(queue.key))

    def beside(self, replica: int, queue: HostedQueue) -> bool:
        """Tell whether the node of a replica is on the same side as a process (D9)."""
        return (self.cluster.name(replica) in self.cluster.away) == self.system.apart(queue.key)

    def _unless(
        self,
        hindered: bool,
        action: Action,
        channel: PublishingChannel | None,
        queue: HostedQueue | None = None,
    ) -> None:
        """Let a step be taken, or keep it for later."""
        if hindered:
            self._kept[Step(action, channel, queue)] = None
        require(not hindered)

    def _offer_kept(self) -> None:
        """Something has changed: offer again what could not be taken."""
        kept, self._kept = self._kept, {}
        for step in kept:
            self.scheduler.offer(step)

    # -- from the channels ----------------------------------------------------------------------

    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A message arrives at a process that is on this side."""
        self._unless(self.system.apart(queue.key), Action.DELIVER, channel, queue)
        super().deliver(channel, queue)

    # -- between a master and its mirrors -------------------------------------------------------

    def follow(self, mirror: HostedMirror) -> None:
        """What a master has told arrives, once it is known that no more will come (D1.3)."""
        assert mirror.membership is not None
        leader = mirror.membership.leader
        cut_off = leader.machine.leads() and not self.system.linked(leader.key, mirror.key)
        hindered = cut_off and not self.system.divided(leader.key)
        self._unless(hindered, Action.FOLLOW, None, mirror)
        super().follow(mirror)

    def synchronise(self, mirror: HostedMirror) -> None:
        """A mirror is synchronised by a master on its own side (D7.3)."""
        assert mirror.membership is not None
        hindered = not self.system.linked(mirror.membership.leader.key, mirror.key)
        self._unless(hindered, Action.SYNCHRONISE, None, mirror)
        super().synchronise(mirror)

    def promote(self, mirror: HostedMirror) -> None:
        """A mirror is promoted, but not where its node is about to pause.

        The specification lets that happen, too, and then the new master ends at once.
        """
        self._unless(self.system.in_minority(mirror.key), Action.PROMOTE, None, mirror)
        super().promote(mirror)

    def restart(self, queue: HostedQueue) -> None:
        """A master starts again when its node does (A12.2, D9)."""
        self._unless(self._stands(queue), Action.RESTART, None, queue)
        super().restart(queue)

    def _stands(self, queue: HostedQueue) -> bool:
        """Tell whether the node of a process has paused, as far as home can tell (A12.2)."""
        if not self.system.apart(queue.key):
            return self.cluster.paused
        return self.system.given_up(queue.key) and self.cluster.outvoted()

    # -- the way back ---------------------------------------------------------------------------

    def confirm_arrives(self, queue: HostedQueue) -> None:
        """The confirms of a process arrive, if it is on this side (A8.3)."""
        self._unless(self.system.apart(queue.key), Action.CONFIRM_ARRIVES, None, queue)
        super().confirm_arrives(queue)

    def reject_arrives(self, queue: HostedQueue) -> None:
        """And so do its rejects (A8.4)."""
        self._unless(self.system.apart(queue.key), Action.REJECT_ARRIVES, None, queue)
        super().reject_arrives(queue)

    def down_arrives(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The death of a process on the other side is learnt when its node is given up (A9)."""
        hindered = self.system.apart(queue.key) and not self.system.given_up(queue.key)
        self._unless(hindered, Action.DOWN_ARRIVES, channel, queue)
        super().down_arrives(channel, queue)

    def flush(self, channel: PublishingChannel) -> None:
        """A channel tells what is settled, if its node may speak for the cluster (A10.4, A12)."""
        self._unless(not self.cluster.may_confirm(), Action.FLUSH, channel)
        super().flush(channel)

    def complete(self, channel: PublishingChannel) -> None:
        """And so it does with what was committed (A12.6)."""
        self._unless(not self.cluster.may_confirm(), Action.COMPLETE, channel)
        super().complete(channel)

    # -- consumers ------------------------------------------------------------------------------

    def serves(self, queue: HostedQueue, consumer: HostedConsumer) -> bool:
        """A master hands nothing to consumers on the other side (B3.1)."""
        return not self.system.apart(queue.key) and super().serves(queue, consumer)

    # -- time -----------------------------------------------------------------------------------

    def _expire(self, queue: HostedQueue) -> None:
        """What becomes of messages over there is seen when the partition is over."""
        if not self.system.apart(queue.key):
            super()._expire(queue)

    def _watch(self, queue: HostedQueue) -> None:
        if not self.system.apart(queue.key):
            super()._watch(queue)
