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

from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.mirrors import Mirrors
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.processes import Processes
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.serving import Serving
from ackproof.impl.steps.sides import Sides
from ackproof.lang import NotEnabled, require
from ackproof.spec.sorts import Status

__all__ = ["Partitions"]

#: How much later than noticed a minority pauses, as a part of the time that noticing takes (A12.7).
_PAUSING = 0.25


def _no_queues() -> Iterable[HostedQueue]:
    return ()


def _nothing(_: bool) -> None:
    """Nobody is to be told."""


class Partitions(Part):
    """Nodes lose each other, give each other up, and pause (A12, D9).

    Attributes:
        leaders: returns the process of each queue that clients find.
        pausing: called with True when home pauses, and its connections have to break; with False
            when it starts again.
    """

    def __init__(
        self,
        context: Context,
        sides: Sides,
        serving: Serving,
        mirrors: Mirrors,
        processes: Processes,
    ) -> None:
        super().__init__(context)
        self.sides = sides
        self.serving = serving
        self.mirrors = mirrors
        self.processes = processes
        self.leaders: Callable[[], Iterable[HostedQueue]] = _no_queues
        self.pausing: Callable[[bool], None] = _nothing
        self._noticing_at: float | None = None
        self._pausing_at: float | None = None

    # -- coming apart -------------------------------------------------------------------------

    @observed
    def partition(self, replicas: Iterable[int], home: int, ticktime: float) -> None:
        """The network falls apart, and nobody knows yet (A12.7).

        Args:
            replicas: whose nodes are on the other side.
            home: the replica whose node the clients are connected to.
            ticktime: seconds until the nodes notice.
        """
        require(home not in replicas and not self.sides.cluster.cut())
        self.sides.cluster.home = home
        self.system.home = self.sides.cluster.name(home)
        self.system.partition({self.sides.cluster.name(replica) for replica in replicas})
        self._noticing_at = self.timers.clock() + ticktime
        self._pausing_at = self._noticing_at + _PAUSING * ticktime
        self.look_at_clock()

    def look_at_clock(self) -> None:
        """Offer the steps that are due by the clock."""
        if self._noticing_at is not None and self.timers.clock() >= self._noticing_at:
            self.detect()
        if self._pausing_at is not None and self.timers.clock() >= self._pausing_at:
            self._pausing_at = None
            self.context.offer(Action.PAUSE, None)

    @property
    def due(self) -> float | None:
        """Return when there may be something to do; None for never."""
        times = (self._noticing_at, self._pausing_at)
        return min((time for time in times if time is not None), default=None)

    def detect(self) -> None:
        """The time has come to give up whoever was not heard of (A12.7)."""
        self._noticing_at = None
        self.context.offer(Action.NOTICE, None)
        for queue in self.leaders():
            self.context.offer(Action.ESTRANGE, None, queue)
        self._offer_halts()

    def _offer_halts(self) -> None:
        for queue in self._processes():
            self.context.offer(Action.HALT, None, queue)

    def _processes(self) -> list[HostedQueue]:
        return [p for queue in self.leaders() for p in queue.membership or (queue,)]

    def notice(self) -> None:
        """Home gives up a node that it does not hear (A12.7)."""
        unheard = self.sides.cluster.away - self.sides.cluster.lost
        found = next(
            (n for n in range(self.context.replicas) if self.sides.cluster.name(n) in unheard), None
        )
        require(found is not None)
        assert found is not None
        self.lose(found)
        self.sides.offer_kept()
        self.context.offer(Action.NOTICE, None)
        if self._pausing_at is None:
            self.context.offer(Action.PAUSE, None)

    @observed
    def lose(self, replica: int) -> None:
        """All processes on a node are down to home's channels (A9)."""
        node = self.sides.cluster.name(replica)
        dead = [step.queue for step in self.sides.kept if step.queue is not None]
        known = dict.fromkeys([*self._processes(), *dead, *self.sides.untold])
        self.system.notice(node)
        for queue in known:
            if queue.key in self.system.replicas and queue.machine.node == node:
                self.lose_touch(queue)

    @observed
    def lose_touch(self, queue: HostedQueue) -> None:
        """What is between the channels and a process is lost (A9, B7.5, D4.18)."""
        queue.given_up = True
        self.serving.lose_clients(queue)
        self.sides.untold.pop(queue, None)
        self._settle(queue)
        if isinstance(queue, HostedMirror) and queue.machine.mirrors():
            self.mirrors.forget_leaving(queue)
        self.processes.answers.dispose(queue)

    @observed
    def estrange(self, leader: HostedQueue) -> None:
        """The processes of a queue on the two sides give each other up (D9)."""
        membership = leader.membership
        require(membership is not None)
        assert membership is not None
        self.system.estrange(leader.key)
        for mirror in membership.mirrors:
            mirror.forget_lost()

    @observed
    def pause(self) -> None:
        """Home is in a minority and pauses: its connections break (A12.2, D9)."""
        require(not self.sides.cluster.paused and not self.sides.cluster.majority())
        self.sides.cluster.paused = True
        self.pausing(True)
        self._offer_halts()

    @observed
    def halt(self, queue: HostedQueue) -> None:
        """So does the node of a process, on either side (A12.2, D9)."""
        require(self.system.apart(queue.key) or self.sides.cluster.paused)
        self.system.halt(queue.key)
        self.processes.leave(queue)
        if queue.membership is not None:
            self.sides.missing.append((queue.membership, queue.replica))

    # -- while it lasts -----------------------------------------------------------------------

    def await_running(self, queue: HostedQueue) -> None:
        """Let a queue be led on this side, if it can be (D5.1).

        That its master has died over there is not known here before that is given up (D9).
        """
        if any(self.system.apart(process.key) for process in (queue, _successor(queue))):
            self.fall_out()
        successor = _successor(queue)
        mirrors = successor.machine.mirrors()
        if not (self.system.must_stop(successor.key) if mirrors else self.sides.stands(successor)):
            self.processes.revive(queue)

    def await_answer(self, queue: HostedQueue) -> None:
        """Let a process answer its client; one across a partition is given up for that (A12.7)."""
        if self.system.apart(queue.key) and not queue.given_up:
            self.fall_out()

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

    # -- coming together ----------------------------------------------------------------------

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
        for queue in self.sides.untold:
            queue.forget_consumers()
            self.processes.answers.dispose(queue)
        self.sides.untold.clear()
        self._noticing_at = self._pausing_at = None
        if self.sides.cluster.paused:
            self.sides.cluster.paused = False
            self.pausing(False)
        for queue in self._processes():
            queue.given_up = False
            self._settle(queue)
            self.serving.come_back(queue)
            if queue.machine.leads():
                self.timers.watch(queue)
        self.sides.offer_kept()
        for queue in self.leaders():
            if queue.membership is not None:
                queue.membership.trim()
                self.processes.renew(queue.membership)
        self._rejoin()

    def _settle(self, queue: HostedQueue) -> None:
        """A process learns what has become of all that it had handed out (B7.5, F1.4)."""
        for step in (self.serving.acks_arrive, self.serving.regain):
            with suppress(NotEnabled):
                step(queue)

    def _rejoin(self) -> None:
        """What ended because of the partition, or could not start, joins its queue (D7.2)."""
        missing, self.sides.missing = self.sides.missing, []
        for membership, replica in missing:
            if membership.leader.machine.status is Status.DELETED:
                continue
            self.await_running(membership.leader)
            if membership.process(replica) is None:
                self.processes.join(membership.leader, replica)


def _successor(queue: HostedQueue) -> HostedQueue:
    """Return the process that leads a queue, or will when it runs or is promoted (D5.3)."""
    membership = queue.membership
    if membership is None:
        return queue
    successor = None if membership.leader.running else membership.successor()
    return membership.leader if successor is None else successor
