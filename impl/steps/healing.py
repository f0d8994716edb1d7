"""The steps by which a cluster that has fallen apart comes together again.

The network is whole again at once where nobody has noticed anything, and all goes on (A12.4).
Where both sides have gone on by themselves, it is not before one of them has paused (D9).  Then
what had paused starts again, and each process that has ended because of the partition, or could not
start, joins its queue with nothing (D7.2).  See `ackproof.impl.steps.partitioning`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.partitioning import PartitioningSteps
from ackproof.spec.sorts import Status

if TYPE_CHECKING:
    from ackproof.impl.machines.queue_processes import HostedQueue, MirrorMembership

__all__ = ["HealingSteps"]


@dataclass
class HealingSteps(PartitioningSteps):
    """Nodes see each other again (A12.4, D9)."""

    _missing: list[tuple[MirrorMembership, int]] = field(default_factory=list, init=False)

    # -- who will have to come back -------------------------------------------------------------

    def halt(self, queue: HostedQueue) -> None:
        """The node of a process pauses, and will be back."""
        super().halt(queue)
        if queue.membership is not None:
            self._missing.append((queue.membership, queue.replica))

    def _start(self, leader: HostedQueue, replica: int, *, late: bool) -> None:
        assert leader.membership is not None
        if self.beside(replica, leader):
            super()._start(leader, replica, late=late)
        else:
            self._missing.append((leader.membership, replica))

    def _find_successor(self, membership: MirrorMembership | None) -> None:
        """Mirrors that end since none of them can lead come back with the others (D5.3)."""
        mirrors = [] if membership is None else list(membership.mirrors)
        super()._find_successor(membership)
        if membership is not None and self.cluster.cut():
            self._missing += [(membership, m.replica) for m in mirrors if not m.running]

    # -- coming together ------------------------------------------------------------------------

    def come_together(self) -> None:
        """The network is whole again, after a minority has paused if it has to (A12.4, D9)."""
        if self.system.fallen_out():
            self.fall_out()
            self.stop_minority()
        self.heal()

    @observed
    def heal(self) -> None:
        """All nodes see each other again, and all goes on (A12.4, D9)."""
        self.system.heal()
        self._noticing_at = self._pausing_at = None
        if self.cluster.paused:
            self.cluster.paused = False
            self.pausing(False)
        for queue in self._processes():
            queue.given_up = False
            self._wake(queue)
        self._offer_kept()
        for queue in self.leaders():
            if queue.membership is not None:
                queue.membership.trim()
        self._rejoin()

    def _wake(self, queue: HostedQueue) -> None:
        """A queue may hand messages to consumers again, and drop what has expired."""
        for consumer in list(queue.consumers):
            queue.consumers.wake(consumer)
        self._offer_service(queue)
        if queue.machine.leads():
            self._watch(queue)

    def _rejoin(self) -> None:
        """What ended because of the partition, or could not start, joins its queue (D7.2)."""
        missing, self._missing = self._missing, []
        for membership, replica in missing:
            if membership.leader.machine.status is Status.DELETED:
                continue
            self.await_running(membership.leader)
            if membership.process(replica) is None:
                self.join(membership.leader, replica)
