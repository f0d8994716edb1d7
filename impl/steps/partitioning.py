"""The steps by which the cluster falls apart, and comes together again.

What happens is said in `ackproof.spec.partitioning`; here it is when, and what follows for the
broker.  Nothing crosses a partition: what was sent to the other side waits there, until the
partition is over or the other side is given up, and a channel tells its publisher nothing while its
node must not speak for the cluster (A12).  So a step that was refused in a partition is kept, and
offered again when something has changed.

A partition is noticed by time, as nodes do that do not hear each other: after `ticktime` seconds
home gives up the nodes on the other side, and so do masters and mirrors with each other; a quarter
of that later a minority pauses (A12.7).  From then on the steps are on offer like all others, so
that a seed draws their order.  Whoever asks for a queue that is led on the other side waits until
that is given up, so it happens at once then.

A minority on the other side pauses as soon as it was given up, since nobody can tell when.  For
the same reason a queue never has two masters here, as it may in the specification: the one that is
promoted waits until the other one has ended, of which no client hears before the partition is over.

The network is whole again at once where nobody has noticed anything, and all goes on (A12.4).
Where both sides have gone on by themselves, it is not before one of them has paused (D9).  Then
what had paused starts again, and each process that has ended because of the partition, or could not
start, joins its queue with nothing (D7.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackproof.impl.machines.partitioned_cluster import PartitionedCluster
from ackproof.impl.machines.queue_processes import HostedMirror
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.processes import ProcessSteps
from ackproof.impl.steps.scheduler import Action, Step
from ackproof.lang import NotEnabled, require
from ackproof.spec.sorts import Status

if TYPE_CHECKING:
    from ackproof.impl.machines.channels import PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue, MirrorMembership

__all__ = ["PartitioningSteps"]

#: How much later than noticed a minority pauses, as a part of the time that noticing takes (A12.7).
_PAUSING = 0.25


def _no_queues() -> Iterable[HostedQueue]:
    return ()


def _nothing(_: bool) -> None:
    """Nobody is to be told."""


@dataclass
class PartitioningSteps(ProcessSteps):
    """Nodes lose each other, give each other up, and pause (A12, D9).

    Attributes:
        cluster: which nodes are on which side of a partition, and who knows.
        leaders: returns the process of each queue that clients find.
        pausing: called with True when home pauses, and its connections have to break; with False
            when it starts again.
    """

    cluster: PartitionedCluster = field(default_factory=PartitionedCluster)
    leaders: Callable[[], Iterable[HostedQueue]] = _no_queues
    pausing: Callable[[bool], None] = _nothing
    _noticing_at: float | None = field(default=None, init=False)
    _pausing_at: float | None = field(default=None, init=False)
    _kept: dict[Step, None] = field(default_factory=dict, init=False)
    _missing: list[tuple[MirrorMembership, int]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.cluster.nodes = self.replicas
        self.system.cluster = self.cluster

    def reaches(self, queue: HostedQueue) -> bool:
        """Tell whether clients can speak to a process; in a partition it need not run (A12.7)."""
        return not self.cluster.cut() or (queue.running and not self.system.apart(queue.key))

    def beside(self, replica: int, queue: HostedQueue) -> bool:
        """Tell whether the node of a replica is on the same side as a process (D9)."""
        return (self.cluster.name(replica) in self.cluster.away) == self.system.apart(queue.key)

    def _refused(self, step: Step) -> None:
        """A step was not possible: where that may be because of a partition, it is kept."""
        if self.cluster.cut():
            self._kept[step] = None

    def _offer_kept(self) -> None:
        """Something has changed: offer again what could not be taken."""
        kept, self._kept = self._kept, {}
        for step in kept:
            self.scheduler.offer(step)

    # -- coming apart ---------------------------------------------------------------------------

    @observed
    def partition(self, replicas: Iterable[int], home: int, ticktime: float) -> None:
        """The network falls apart, and nobody knows yet (A12.7).

        Args:
            replicas: whose nodes are on the other side.
            home: the replica whose node the clients are connected to.
            ticktime: seconds until the nodes notice.
        """
        require(home not in replicas and not self.cluster.cut())
        self.cluster.home = home
        self.system.home = self.cluster.name(home)
        self.system.partition({self.cluster.name(replica) for replica in replicas})
        self._noticing_at = self.timers.clock() + ticktime
        self._pausing_at = self._noticing_at + _PAUSING * ticktime
        self.expire_due()

    def expire_due(self) -> None:
        """Take the steps that are due by the clock, or offer them."""
        super().expire_due()
        if self._noticing_at is not None and self.timers.clock() >= self._noticing_at:
            self.detect()
        if self._pausing_at is not None and self.timers.clock() >= self._pausing_at:
            self._pausing_at = None
            self._offer(Action.PAUSE, None)

    @property
    def due(self) -> float | None:
        """Return when there may be something to do."""
        times = (super().due, self._noticing_at, self._pausing_at)
        return min((time for time in times if time is not None), default=None)

    def detect(self) -> None:
        """The time has come to give up whoever was not heard of (A12.7)."""
        self._noticing_at = None
        self._offer(Action.NOTICE, None)
        for queue in self.leaders():
            self._offer(Action.ESTRANGE, None, queue)
        self._offer_halts()

    def _offer_halts(self) -> None:
        for queue in self._processes():
            self._offer(Action.HALT, None, queue)

    def _processes(self) -> list[HostedQueue]:
        return [p for queue in self.leaders() for p in queue.membership or (queue,)]

    def notice(self) -> None:
        """Home gives up a node that it does not hear (A12.7)."""
        unheard = self.cluster.away - self.cluster.lost
        found = next((n for n in range(self.replicas) if self.cluster.name(n) in unheard), None)
        require(found is not None)
        assert found is not None
        self.lose(found)
        self._offer_kept()
        self._offer(Action.NOTICE, None)
        if self._pausing_at is None:
            self._offer(Action.PAUSE, None)

    @observed
    def lose(self, replica: int) -> None:
        """All processes on a node are down to home's channels (A9)."""
        node = self.cluster.name(replica)
        self.system.notice(node)
        dead = [step.queue for step in self._kept if step.queue is not None]
        for queue in dict.fromkeys([*self._processes(), *dead]):
            if queue.machine.node == node:
                self.lose_touch(queue)

    @observed
    def lose_touch(self, queue: HostedQueue) -> None:
        """What is between the channels and a process is lost (A9, D4.18)."""
        queue.given_up = True
        if isinstance(queue, HostedMirror) and queue.machine.mirrors():
            self._forget_leaving(queue)

    @observed
    def estrange(self, leader: HostedQueue) -> None:
        """A master and its mirrors on the other side give each other up (D9)."""
        membership = leader.membership
        require(membership is not None)
        assert membership is not None
        self.system.estrange(leader.key)
        strangers = self.system.strangers(leader.key)
        for mirror in membership.mirrors:
            if mirror.key in strangers:
                mirror.forget_lost()

    @observed
    def pause(self) -> None:
        """Home is in a minority and pauses: its connections break (A12.2, D9)."""
        require(not self.cluster.paused and not self.cluster.majority())
        self.cluster.paused = True
        self.pausing(True)
        self._offer_halts()

    @observed
    def halt(self, queue: HostedQueue) -> None:
        """So does the node of a process, on either side (A12.2, D9)."""
        require(self.system.apart(queue.key) or self.cluster.paused)
        self.system.halt(queue.key)
        self._end(queue)
        if queue.membership is not None:
            self._leave_membership(queue.membership, queue)
            self._missing.append((queue.membership, queue.replica))

    # -- what a partition keeps from happening --------------------------------------------------

    def flush(self, channel: PublishingChannel) -> None:
        """A channel tells what is settled, if its node may speak for the cluster (A10.4, A12)."""
        require(self.cluster.may_confirm())
        super().flush(channel)

    def complete(self, channel: PublishingChannel) -> None:
        """And so it does with what was committed (A12.6)."""
        require(self.cluster.may_confirm())
        super().complete(channel)

    def restart(self, queue: HostedQueue) -> None:
        """A master starts again when its node does (A12.2, D9)."""
        require(not self._stands(queue))
        super().restart(queue)

    def _stands(self, queue: HostedQueue) -> bool:
        """Tell whether the node of a process has paused, as far as home can tell (A12.2)."""
        if not self.system.apart(queue.key):
            return self.cluster.paused
        return self.system.given_up(queue.key) and self.cluster.outvoted()

    # -- while it lasts -------------------------------------------------------------------------

    def replicate(self, queue: HostedQueue) -> None:
        """A queue that is new is led at home (D1.1)."""
        if queue.machine.durable and queue.membership is None and self.cluster.cut():
            queue.replica = self.cluster.home
        super().replicate(queue)

    def await_running(self, queue: HostedQueue) -> None:
        """Let a queue be led on this side, if it can be (D5.1)."""
        if self.system.apart(_successor(queue).key):
            self.fall_out()
        successor = _successor(queue)
        mirrors = successor.machine.mirrors()
        if not (self.system.in_minority(successor.key) if mirrors else self._stands(successor)):
            super().await_running(queue)

    def fall_out(self) -> None:
        """Either side gives the other up now, and a minority over there pauses (D9)."""
        with suppress(NotEnabled):
            while True:
                self.notice()
        for queue in list(self.leaders()):
            with suppress(NotEnabled):
                self.estrange(queue)
        self._halt_all()

    def _halt_all(self) -> None:
        for queue in self._processes():
            with suppress(NotEnabled):
                self.halt(queue)

    def stop_minority(self) -> None:
        """Whoever is in a minority pauses now (A12.2)."""
        self._pausing_at = None
        with suppress(NotEnabled):
            self.pause()
        self._halt_all()

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
            if queue.machine.leads():
                self.timers.watch(queue)
        self._offer_kept()
        for queue in self.leaders():
            if queue.membership is not None:
                queue.membership.trim()
        self._rejoin()

    def _rejoin(self) -> None:
        """What ended because of the partition, or could not start, joins its queue (D7.2)."""
        missing, self._missing = self._missing, []
        for membership, replica in missing:
            if membership.leader.machine.status is Status.DELETED:
                continue
            self.await_running(membership.leader)
            if membership.process(replica) is None:
                self.join(membership.leader, replica)


def _successor(queue: HostedQueue) -> HostedQueue:
    """Return the process that leads a queue, or will when it runs or is promoted (D5.3)."""
    membership = queue.membership
    if membership is None:
        return queue
    successor = None if membership.leader.running else membership.successor()
    return membership.leader if successor is None else successor
