"""The steps by which processes join a mirrored queue, leave it, and come to lead it.

This is the rest of `ackproof.spec.mirroring`, and what `ackproof.spec.failing` has of it; see
`ackproof.impl.steps.core`.  A mirror joins when its queue is declared, when the node starts, or
when somebody asks for it after one was lost.  It enters the record at once, and is synchronised as
the scheduler says.

The record is on the disk of the node, so that the process that led last is the one that recovers
(D8 L6).  The death of a master reaches the channels only when the disk knows who leads instead:
what its heir has confirmed alone must not be looked for, after a crash of the node, in the store of
the dead.

If a master dies while no mirror has all that it had, then no mirror is promoted (D5.3).  Those that
there are end, too, and the master starts again from its files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ackproof.impl.machines.replicas import HostedMirror, Record
from ackproof.impl.steps.following import FollowingSteps
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.spec.lang import require
from ackproof.spec.sorts import Born, Status

if TYPE_CHECKING:
    from ackproof.impl.machines.hosted import HostedQueue

__all__ = ["MirroringSteps"]


def _none() -> int:
    raise AssertionError("nobody gives out numbers")


def _nobody(_: HostedQueue) -> None:
    """Nobody is to be told."""


@dataclass
class MirroringSteps(FollowingSteps):
    """Durable queues have a master and mirrors (D1, D5, D7).

    Attributes:
        replicas: how many processes a queue has.
        number: gives out the number of a new process.
        led: called with the process that leads its queue from now on.
    """

    replicas: int = 1
    number: Callable[[], int] = _none
    led: Callable[[HostedQueue], None] = _nobody

    # -- joining --------------------------------------------------------------------------------

    def replicate(self, queue: HostedQueue) -> None:
        """Give a queue that is new, or there again, its mirrors, if it is to have any (D1.1)."""
        if queue.machine.durable and queue.record is None:
            queue.record = Record(queue)
            queue.record.keys.add(queue.key)
            for replica in range(self.replicas):
                if replica != queue.replica:
                    self._start(queue, replica, late=bool(queue.machine.holds()))

    def join(self, queue: HostedQueue, replica: int) -> None:
        """A new mirror joins those of a queue, with nothing, as the youngest (D1.2, D7.2)."""
        record = queue.record
        require(record is not None and queue.machine.leads() and record.process(replica) is None)
        self._start(queue, replica, late=True)

    def _start(self, leader: HostedQueue, replica: int, *, late: bool) -> None:
        assert leader.record is not None
        record = leader.record
        mirror = HostedMirror(leader, self.number(), replica, late=late)
        self.enlist(mirror, record)

    @observed
    def enlist(self, mirror: HostedMirror, record: Record) -> None:
        """A new mirror hears its master, and is called by channels, from now on (A5.5, D1.2)."""
        if mirror.machine.born is Born.LATER:
            record.network.join(mirror.key, record.siblings(mirror))
            mirror.machine.join()
        record.enter(mirror)
        if record.leader.machine.holds():
            record.unsynced.add(mirror)
            self._offer(Action.SYNCHRONISE, None, mirror)

    @observed
    def synchronise(self, mirror: HostedMirror) -> None:
        """A mirror is given all that its master has, and loses what that has not (D7.3)."""
        record = mirror.record
        require(record is not None and mirror in record.unsynced and mirror.machine.mirrors())
        assert record is not None
        leader = record.leader
        require(leader.machine.leads() and record.network.silent(mirror.key) and not mirror.slow)
        has, wanted = mirror.machine.ready, leader.machine.holds()
        for msg in sorted(has - wanted):
            mirror.machine.remove(msg)
            self._lost(mirror, msg)
        for msg in sorted(wanted - has):
            mirror.machine.enqueue(msg, leader.contents[msg].persistent, False)
            self._got(mirror, msg, leader.contents[msg])
        record.network.missed[mirror.key].clear()
        record.unsynced.discard(mirror)

    # -- what goes wrong ------------------------------------------------------------------------

    def crash_queue(self, queue: HostedQueue) -> None:
        """A process crashes; a mirror takes the place of a master (C5, D5.1)."""
        super().crash_queue(queue)
        self._find_heir(queue.record)

    def lose_node(self, queue: HostedQueue) -> None:
        """So it does if the node of a process is killed (A9, D5.1)."""
        super().lose_node(queue)
        self._find_heir(queue.record)

    def _fall_silent(self, queue: HostedQueue) -> None:
        """What a dead master told nobody is lost (D1.3), and a dead mirror hears no more."""
        record = queue.record
        if record is not None and queue is record.leader:
            record.equalise(self.mirrors_of(record))
        elif record is not None:
            self._struck(record, cast(HostedMirror, queue))

    def _leave_record(self, record: Record, queue: HostedQueue) -> None:
        """A process of a queue has ended, and what it told has arrived or is lost (D5.2)."""
        if queue is not record.leader:
            self._struck(record, cast(HostedMirror, queue))
        self._find_heir(record)

    def _struck(self, record: Record, mirror: HostedMirror) -> None:
        """A dead mirror leaves the record, and its store (C5.4, D5.2, D7.1)."""
        record.strike(mirror)
        record.deafen(mirror)
        self.journal.deleted(mirror)

    def _find_heir(self, record: Record | None) -> None:
        """A master that is dead has an heir, or leads again when it is back (D5.3, D8 L6)."""
        if record is None or record.leader.running:
            return
        leader = record.leader
        leader.recorded = record.heir() is None
        if leader.recorded:
            while record.mirrors:
                super().lose_node(record.mirrors[0])
            self._offer_downs(leader)
            self._offer(Action.RESTART, None, leader)
        for mirror in record.mirrors:
            self._offer(Action.FOLLOW, None, mirror)
            self._offer(Action.PROMOTE, None, mirror)

    @observed
    def promote(self, mirror: HostedMirror) -> None:
        """The oldest synchronised mirror becomes the master (D5.1, D5.5).

        What it knows from channels only is on its way to it once more.
        """
        record = mirror.record
        require(record is not None and mirror.machine.mirrors() and not mirror.slow)
        assert record is not None
        require(not record.leader.running and record.network.silent(mirror.key))
        require(record.heir() is mirror)
        again = [(msg, mirror.heard.pop(msg)) for msg in sorted(mirror.machine.direct)]
        for msg, (channel, cast_) in again:
            channel.network.cast(msg, mirror.key)
            channel.carry(msg, cast_, mirror)
            channel.watch(mirror)
            self._offer(Action.DELIVER, channel, mirror)
        mirror.machine.promote()
        self._take_over(record, mirror)
        for other in record.mirrors:
            if record.expected(other) != mirror.machine.ready:
                record.unsynced.add(other)
                self._offer(Action.SYNCHRONISE, None, other)

    def _take_over(self, record: Record, mirror: HostedMirror) -> None:
        """The record says who leads, and the disk will know (D5.2)."""
        former = record.lead(mirror)
        mirror.heard.clear()
        mirror.direct.clear()
        mirror.leaving.clear()
        if mirror.limit.exists:
            mirror.limit.recount(mirror.contents)
        self.journal.created(mirror)
        self.journal.deleted(former)
        self.journal.after_commit(lambda: self._recorded(former))
        self.led(mirror)
        self.used(mirror)

    def _recorded(self, former: HostedQueue) -> None:
        former.recorded = True
        self._offer_downs(former)

    def _delete(self, queue: HostedQueue) -> None:
        """A queue is deleted, all its processes end normally (A9.3, D8 L8)."""
        super()._delete(queue)
        if queue.record is not None and queue is queue.record.leader:
            for mirror in queue.record.mirrors:
                self.delete_mirror(mirror)

    @observed
    def delete_mirror(self, mirror: HostedMirror) -> None:
        """A mirror ends with its queue, and with what it was told and has not heard (A9.3)."""
        super()._delete(mirror)
        assert mirror.record is not None
        mirror.record.deafen(mirror)

    def restart(self, queue: HostedQueue) -> None:
        """A master starts again if it was the last one, and no mirror is left (C5.1, D8 L6)."""
        record = queue.record
        require(record is None or (queue is record.leader and not record.mirrors))
        super().restart(queue)
        if record is not None:
            record.fallen.clear()

    def await_running(self, queue: HostedQueue) -> None:
        """Let a queue be led again: who asks something of it waits for that."""
        record = queue.record
        if record is None:
            super().await_running(queue)
            return
        heir = record.heir()
        if record.leader.machine.status is Status.DOWN and heir is not None:
            self.hasten(heir)
            while not record.network.silent(heir.key):
                self.follow(heir)
            self.promote(heir)
        super().await_running(record.leader)

    # -- slowness -------------------------------------------------------------------------------

    def hasten(self, queue: HostedQueue) -> None:
        """A process that was slow is so no more: it may take all the steps that it could have."""
        queue.slow = False
        for action in (Action.SYNC, Action.DRAIN, Action.CONFIRM_ARRIVES, Action.REJECT_ARRIVES):
            self._offer(action, None, queue)
        if isinstance(queue, HostedMirror) and not queue.machine.led():
            for action in (Action.FOLLOW, Action.PROMOTE, Action.SYNCHRONISE):
                self._offer(action, None, queue)
        for channel in queue.watchers:
            self._offer(Action.DELIVER, channel, queue)
