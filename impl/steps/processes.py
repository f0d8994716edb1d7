"""The steps by which the processes of queues join, end, come back, and come to lead.

How a process ends is said by the faults of `ackproof.spec.failing`, whoever has asked for it.  What
was sent before still arrives, and a channel learns of an end after all that was sent to it (O1).

A mirror joins when its queue is declared, when the node starts, or when somebody asks for it after
one was lost.  It enters the membership at once, and is synchronised as the scheduler says.

The membership is on the disk of the node, so that the process that led last is the one that
recovers (D8 L6).  The death of a master reaches the channels only when the disk knows who leads
instead: what its successor has confirmed alone must not be looked for, after a crash of the node,
in the store of the dead.

If a master dies while no mirror has all that it had, then no mirror is promoted (D5.3).  Those that
there are end, too, and the master starts again from its files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_order import PlacedSet
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, MirrorMembership
from ackproof.impl.steps.answers import Answers
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.mirrors import Mirrors
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.sides import Sides
from ackproof.impl.steps.x_death import Cause
from ackproof.lang import NotEnabled, require
from ackproof.model.native.families import growing
from ackproof.spec.sorts import Born, Msg, Status

__all__ = ["Processes"]


def _none() -> int:
    raise AssertionError("nobody gives out numbers")


def _nobody(_: HostedQueue) -> None:
    """Nobody is to be told."""


class Processes(Part):
    """Queues have a process, and durable ones may have mirrors (D1, D5, D7).

    Attributes:
        number: gives out the number of a new process.
        leader_changed: called with the process that leads its queue from now on.
    """

    def __init__(self, context: Context, sides: Sides, answers: Answers, mirrors: Mirrors) -> None:
        super().__init__(context)
        self.sides = sides
        self.answers = answers
        self.mirrors = mirrors
        self.number: Callable[[], int] = _none
        self.leader_changed: Callable[[HostedQueue], None] = _nobody

    # -- joining ------------------------------------------------------------------------------

    def replicate(self, queue: HostedQueue) -> None:
        """Give a queue that is new, or there again, its mirrors, if it is to have any (D1.1).

        In a partition it is led at home.
        """
        if self.context.replicas > 1 and queue.machine.durable and queue.membership is None:
            if self.sides.cluster.cut():
                queue.replica = self.sides.cluster.home
            queue.membership = MirrorMembership(queue)
            growing(self.system.replicas).settle(queue.key, node=queue.replica)
            queue.membership.keys.add(queue.key)
            for replica in range(self.context.replicas):
                if replica != queue.replica:
                    self._start(queue, replica, late=bool(queue.machine.holds()))

    def join(self, queue: HostedQueue, replica: int) -> None:
        """A new mirror joins those of a queue, with nothing, as the youngest (D1.2, D7.2)."""
        membership = queue.membership
        require(
            membership is not None and queue.machine.leads() and membership.process(replica) is None
        )
        self._start(queue, replica, late=True)

    def _start(self, leader: HostedQueue, replica: int, *, late: bool) -> None:
        assert leader.membership is not None
        membership = leader.membership
        if not self.sides.beside(replica, leader):
            self.sides.missing.append((membership, replica))
            return
        mirror = HostedMirror(leader, self.number(), replica, late=late)
        self.enlist(mirror, membership)

    @observed
    def enlist(self, mirror: HostedMirror, membership: MirrorMembership) -> None:
        """A new mirror hears its master, and is called by channels, from now on (A5.5, D1.2)."""
        if mirror.machine.born is Born.LATER:
            self.system.join(mirror.key, membership.leader.key)
            self.system.enlist(mirror.key)
        membership.enter(mirror)

    @observed
    def synchronise(self, mirror: HostedMirror) -> None:
        """A mirror is given all that its master has, and loses what that has not (D7.3)."""
        membership = mirror.membership
        require(membership is not None and mirror.lacks and mirror.machine.mirrors())
        assert membership is not None
        leader = membership.leader
        require(
            leader.machine.leads() and self.system.multicast.silent(mirror.key) and not mirror.slow
        )
        require(self.system.linked(leader.key, mirror.key))
        has, wanted = set(mirror.machine.ready), leader.machine.holds()
        self._take_places(mirror, leader, has & wanted)
        mirror.order.take({msg: leader.order.places[msg] for msg in wanted - has})
        self.system.synchronise(mirror.key, leader.key)
        for msg in sorted(has - wanted):
            self.mirrors.lost(mirror, msg, True)
        for msg in sorted(wanted - has):
            self.mirrors.got(mirror, msg)
        mirror.machine.ready = PlacedSet(mirror.order, mirror.machine.ready)

    def _take_places(self, mirror: HostedMirror, leader: HostedQueue, msgs: set[Msg]) -> None:
        """What a mirror has stands as it does in its master, on the disk, too (D7.3)."""
        places = {msg: leader.order.places[msg] for msg in msgs}
        for msg, place in places.items():
            if mirror.order.places[msg] != place and mirror.was_given(msg):
                self.journal.moved(mirror, msg, place)
        mirror.order.take(places)

    # -- what goes wrong ----------------------------------------------------------------------

    @observed
    def crash_queue(self, queue: HostedQueue) -> None:
        """A process crashes; what it had sent still arrives, and a mirror may lead (C5, D5.1)."""
        self.system.crash_queue(queue.key)
        self.leave(queue)

    def kill(self, queue: HostedQueue) -> None:
        """The node of a process is killed, and a mirror takes the place of a master (D5.1)."""
        self.lose_node(queue)
        self._find_successor(queue.membership)

    @observed
    def lose_node(self, queue: HostedQueue) -> None:
        """The node of a process is killed, with what the process had sent (A9, C5)."""
        self.system.lose_node(queue.key)
        self._silent(queue)
        self.end(queue)

    def leave(self, queue: HostedQueue) -> None:
        """A process has ended, and a mirror takes the place of a master (D1.3, D5.1)."""
        self._silent(queue)
        self.end(queue)
        self._find_successor(queue.membership)

    def end(self, queue: HostedQueue) -> None:
        """A process has ended: what it had sent will arrive, and after that the news (O1).

        Its consumers end with it, and what it handed out is nobody's (F3.3).  A mirror has no
        channel to forget any more.
        """
        queue.forget()
        for action in (Action.CONFIRM_ARRIVES, Action.REJECT_ARRIVES):  # no fault holds them now
            self.context.offer(action, None, queue)
        queue.forget_clients()
        if queue.consumers:
            self.sides.untold[queue] = None
        self.timers.forget(queue)
        if isinstance(queue, HostedMirror):
            self.mirrors.forget_leaving(queue)

    def _silent(self, queue: HostedQueue) -> None:
        """What a dead master told nobody is lost (D1.3), and a dead mirror hears no more."""
        membership = queue.membership
        if membership is not None and queue is membership.leader:
            for mirror in membership.mirrors:
                mirror.forget_lost()
        elif membership is not None:
            self._struck(membership, cast(HostedMirror, queue))

    def _struck(self, membership: MirrorMembership, mirror: HostedMirror) -> None:
        """A dead mirror leaves the membership, and its store (C5.4, D5.2, D7.1)."""
        membership.strike(mirror)
        membership.deafen(mirror)
        self.journal.deleted(mirror)

    def _find_successor(self, membership: MirrorMembership | None) -> None:
        """A master that is dead has a successor, or leads again when it is back (D5.3, D8 L6).

        Mirrors that end since none of them can lead come back with the others, after a partition.
        """
        if membership is None or membership.leader.running:
            return
        leader = membership.leader
        leader.recorded = membership.successor() is None
        if leader.recorded:
            while membership.mirrors:
                mirror = membership.mirrors[0]
                self.lose_node(mirror)
                if self.sides.cluster.cut():
                    self.sides.missing.append((membership, mirror.replica))
            self.answers.offer_downs(leader)

    @observed
    def promote(self, mirror: HostedMirror) -> None:
        """The oldest synchronised mirror becomes the master (D5.1, D5.5).

        What it knows from channels only is on its way to it once more.  Where its node is about to
        pause it is not promoted: the specification lets that happen, too, and then the new master
        ends at once.
        """
        membership = mirror.membership
        require(membership is not None and not membership.leader.running and not mirror.slow)
        require(not self.system.must_stop(mirror.key))
        assert membership is not None
        arriving = sorted(mirror.machine.direct)
        dropped = self._dropped(mirror, (), lambda: self.system.promote(mirror.key))
        for msg in arriving:
            channel = self.channels[Msg.owner(msg)]
            mirror.watch_for(channel)
        self._take_over(membership, mirror)
        self.let_go(mirror, dropped)
        self.renew(membership)

    def renew(self, membership: MirrorMembership) -> None:
        """Mirrors that a younger one has passed over end, and join again with nothing (D5.3)."""
        for mirror in list(membership.mirrors):
            try:
                self.stop_passed_over(mirror)
            except NotEnabled:
                continue
            self.join(membership.leader, mirror.replica)

    @observed
    def stop_passed_over(self, mirror: HostedMirror) -> None:
        """A mirror that must not take over stops (D5.3)."""
        self.system.stop_unsynchronised(mirror.key)
        self.leave(mirror)

    def _take_over(self, membership: MirrorMembership, mirror: HostedMirror) -> None:
        """The membership says who leads, and the disk will know (D5.2)."""
        former = membership.lead(mirror)
        self.mirrors.forget_leaving(mirror)
        if mirror.limit.exists:
            mirror.limit.recount()
        self.journal.created(mirror)
        self.journal.deleted(former)
        self.journal.after_commit(lambda: self._recorded(former))
        self.leader_changed(mirror)
        self.timers.used(mirror)

    def _recorded(self, former: HostedQueue) -> None:
        former.recorded = True
        self.answers.offer_downs(former)

    # -- deleted ------------------------------------------------------------------------------

    @observed
    def delete_queue(self, queue: HostedQueue) -> None:
        """A queue is deleted, and all its processes end normally (A9.3, D8 L8)."""
        self.system.delete_queue(queue.machine.of)
        self._deleted(queue)
        if queue.membership is not None and queue is queue.membership.leader:
            for mirror in queue.membership.mirrors:
                self.delete_mirror(mirror)

    @observed
    def delete_mirror(self, mirror: HostedMirror) -> None:
        """A mirror ends with its queue, and with what it was told and has not heard (A9.3)."""
        self._deleted(mirror)
        assert mirror.membership is not None
        mirror.membership.deafen(mirror)

    def _deleted(self, queue: HostedQueue) -> None:
        """A process has ended with its queue."""
        if queue.slow:  # there is nothing left to be slow, and what was sent arrives
            self.hasten(queue)
        self.end(queue)
        if queue.machine.durable:
            self.journal.deleted(queue)
        self.answers.dispose(queue)

    # -- there again --------------------------------------------------------------------------

    @observed
    def restart(self, queue: HostedQueue) -> None:
        """A process starts again from its files, when its death is known (C5.1, B8.5).

        One of several does if it was the last one to lead, and no mirror is left (D8 L6); and its
        node must not have paused (A12.2, D9).
        """
        require(queue.membership is None or queue is queue.membership.leader)
        require(not self.sides.stands(queue))
        self.let_go(queue, self.start(queue))
        if queue.landed:
            self.context.offer(Action.SYNC, None, queue)
        self.timers.used(queue)
        if queue.membership is not None:
            queue.membership.trim()

    def start(self, queue: HostedQueue) -> list[Msg]:
        """Start a process from its files; return what it drops, being over its limit (B5.2)."""

        def step() -> None:
            self.system.restart(queue.key)
            queue.recovered()

        return self._dropped(queue, queue.machine.store.level, step)

    def _dropped(
        self, queue: HostedQueue, coming: Iterable[Msg], step: Callable[[], None]
    ) -> list[Msg]:
        """Let a process lead from a step on; return what that drops, the oldest first (B5.2).

        Args:
            queue: the process.
            coming: what it finds in its files, and has not in memory yet.
            step: after it, the process leads.
        """
        if not queue.limit.exists:
            step()
            return []
        found = list(coming)
        queue.limit.recount()
        queue.limit.expect(found)
        had = sorted({*queue.machine.ready, *found}, key=queue.order.places.__getitem__)
        step()
        return [msg for msg in had if not queue.has(msg)]

    def let_go(self, queue: HostedQueue, dropped: Iterable[Msg]) -> None:
        """What a process has dropped when it began to lead is dead (B4.4)."""
        for msg in dropped:
            self.mirrors.contents.give_up(queue, content_of(msg), Cause.MAXLEN)
            self.mirrors.contents.gone(queue, msg)

    def revive(self, queue: HostedQueue) -> None:
        """Let a queue be led again: who asks something of it waits for that (A9).

        All that has to happen before happens now.
        """
        if queue.membership is not None:
            self._hasten_successor(queue.membership)
            queue = queue.membership.leader
        if queue.machine.status is not Status.DOWN:
            return
        if queue.machine.outbox:
            self.answers.confirm_arrives(queue)
        if queue.machine.refused:
            self.answers.reject_arrives(queue)
        for channel in list(queue.watchers):
            if channel.casts.downs[queue.key] is not None:
                self.answers.down_arrives(channel, queue)
        self.restart(queue)

    def _hasten_successor(self, membership: MirrorMembership) -> None:
        """The mirror that is to lead leads now (D5.1)."""
        successor = membership.successor()
        if membership.leader.machine.status is Status.DOWN and successor is not None:
            self.hasten(successor)
            while not self.system.multicast.silent(successor.key):
                self.mirrors.follow(successor)
            self.promote(successor)

    # -- slowness -----------------------------------------------------------------------------

    def hasten(self, queue: HostedQueue) -> None:
        """A process that was slow is so no more: it may take all the steps that it could have."""
        queue.slow = False
        for action in (Action.SYNC, Action.DRAIN, Action.CONFIRM_ARRIVES, Action.REJECT_ARRIVES):
            self.context.offer(action, None, queue)
        if isinstance(queue, HostedMirror) and not queue.machine.led():
            for action in (Action.FOLLOW, Action.PROMOTE, Action.SYNCHRONISE):
                self.context.offer(action, None, queue)
        for channel in queue.watchers:
            self.context.offer(Action.DELIVER, channel, queue)
