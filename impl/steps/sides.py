"""Which side of a partition a process is on, and what waits until that is over.

Nothing crosses a partition.  So a step that was refused in one is kept, and offered again when
something has changed; and a process that has ended because of it, or could not start, joins its
queue when it is over.
"""

from __future__ import annotations

from ackproof.impl.machines.partitioned_cluster import PartitionedCluster
from ackproof.impl.machines.queue_processes import HostedQueue, MirrorMembership
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.scheduler import Step

__all__ = ["Sides"]


class Sides(Part):
    """What a partition keeps from happening (A12, D9).

    Attributes:
        cluster: which nodes are on which side of a partition, and who knows.
        kept: steps that were refused while it lasts.
        missing: processes that have ended because of it, or could not start.
        untold: processes that have ended across it, of which consumers do not know that.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.cluster = PartitionedCluster()
        self.cluster.nodes = context.replicas
        self.system.cluster = self.cluster
        self.kept: dict[Step, None] = {}
        self.missing: list[tuple[MirrorMembership, int]] = []
        self.untold: dict[HostedQueue, None] = {}

    def reaches(self, queue: HostedQueue) -> bool:
        """Tell whether clients can speak to a process; in a partition it need not run (A12.7)."""
        return not self.cluster.cut() or (queue.running and not self.system.apart(queue.key))

    def beside(self, replica: int, queue: HostedQueue) -> bool:
        """Tell whether the node of a replica is on the same side as a process (D9)."""
        return (self.cluster.name(replica) in self.cluster.away) == self.system.apart(queue.key)

    def stands(self, queue: HostedQueue) -> bool:
        """Tell whether the node of a process has paused, as far as home can tell (A12.2)."""
        if not self.system.apart(queue.key):
            return self.cluster.paused
        return self.system.given_up(queue.key) and self.cluster.outvoted()

    def keep(self, step: Step) -> None:
        """A step was not possible: where that may be because of a partition, it is kept."""
        if self.cluster.cut():
            self.kept[step] = None

    def offer_kept(self) -> None:
        """Something has changed: offer again what could not be taken."""
        kept, self.kept = self.kept, {}
        for step in kept:
            self.context.scheduler.offer(step)
