"""The steps by which mirrors follow their master, as the broker takes them.

What a message does in a mirror depends on which copy of it comes first, that of the channel or that
of the master: `deliver_to_mirror` and `master_tells` of the specification.  The step `follow` takes
`master_removes` of a message as soon as that is possible, and else the next `master_tells`.

Who are the processes of a queue is the business of `ackproof.impl.steps.mirroring`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedMirror
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.telling import TellingSteps
from ackproof.lang import require
from ackproof.spec.sorts import Msg

if TYPE_CHECKING:
    from ackproof.impl.machines.channels import PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue

__all__ = ["FollowingSteps"]


@dataclass
class FollowingSteps(TellingSteps):
    """Messages come to a mirror twice: from the channel, and from the master (D2-D4)."""

    # -- the channel's copy ---------------------------------------------------------------------

    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The oldest message on its way to a process arrives (O2)."""
        if isinstance(queue, HostedMirror) and not queue.machine.led():
            self.deliver_to_mirror(channel, queue)
        else:
            super().deliver(channel, queue)

    @observed
    def deliver_to_mirror(self, channel: PublishingChannel, mirror: HostedMirror) -> None:
        """The direct copy of a message arrives at a mirror (D4.1-D4.5)."""
        msg = channel.casts.next_for(mirror.key)
        require(msg is not None and not mirror.slow)
        assert msg is not None
        self.system.deliver_to_mirror(msg, mirror.key)
        self._answers(mirror)
        if channel.casts.next_for(mirror.key) is not None:
            self._offer(Action.DELIVER, channel, mirror)
        elif not channel.machine.open:
            mirror.await_end(channel)
            self._unwatch(channel, mirror)
            self._offer(Action.FORGET_SENDER, channel, mirror)

    # -- the master's copy ----------------------------------------------------------------------

    def follow(self, mirror: HostedMirror) -> None:
        """A mirror hears the next of what its master has told."""
        membership, multicast = mirror.membership, self.system.multicast
        require(membership is not None and mirror.machine.mirrors() and not mirror.slow)
        assert membership is not None
        require(not multicast.silent(mirror.key))
        departed, coming = mirror.departed(), multicast.next_from_master(mirror.key)
        if departed is not None:
            self.master_removes(mirror, departed)
        elif coming is not None:
            self.master_tells(mirror, coming)
        if not multicast.silent(mirror.key):
            self._offer(Action.FOLLOW, None, mirror)
            return
        mirror.departing.clear()
        for channel in mirror.leaving:
            self._offer(Action.FORGET_SENDER, channel, mirror)
        if mirror.lacks:
            self._offer(Action.SYNCHRONISE, None, mirror)
        if not membership.leader.running:
            self._offer(Action.PROMOTE, None, mirror)

    @observed
    def master_tells(self, mirror: HostedMirror, msg: Msg) -> None:
        """The master's copy of a message arrives at a mirror (D4.6-D4.11).

        If the mirror had the message, of a master before, that has another place now.
        """
        stood = mirror.order.places.get(msg)
        self.system.master_tells(msg, mirror.key)
        if mirror.order.places.get(msg) != stood:
            if stood is not None:
                mirror.move(msg, stood)
                if mirror.was_given(msg):
                    self.journal.removed(mirror, msg)
            self._got(mirror, msg)
        self._answers(mirror)

    @observed
    def master_removes(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror hears that a message has left the queue (D4.15)."""
        had = mirror.has(msg)
        self.system.master_removes(msg, mirror.key)
        self._lost(mirror, msg, had)

    def _got(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror has one message more."""
        assert mirror.membership is not None
        lifetime = mirror.lifetime(content_of(msg))
        if lifetime is not None:
            due = mirror.membership.leader.expiries.get(msg)
            mirror.expiries[msg] = self.clock() + lifetime if due is None else due
        self._keep(mirror, msg)

    def _lost(self, mirror: HostedMirror, msg: Msg, had: bool) -> None:
        """A mirror has one message less, if it had it."""
        if had and mirror.part_with(msg):
            self.journal.removed(mirror, msg)
        self._answers(mirror)

    @observed
    def forget_sender(self, channel: PublishingChannel, mirror: HostedMirror) -> None:
        """A mirror has heard from both sides that a channel is gone (D4.16-D4.18)."""
        require(not channel.machine.open and channel.casts.next_for(mirror.key) is None)
        require(self.system.multicast.silent(mirror.key) and mirror.machine.mirrors())
        if mirror.machine.remembers(channel.id):
            self.system.forget_sender(channel.id, mirror.key)
        mirror.end_of(channel)
        self._forget(channel)

    def _end(self, queue: HostedQueue) -> None:
        """A process has ended: a mirror has no channel to forget any more."""
        super()._end(queue)
        if isinstance(queue, HostedMirror):
            for channel in list(queue.leaving):
                queue.end_of(channel)
                self._forget(channel)

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
        """The channels process the confirms of a process, unless it is slow (A8.3)."""
        require(not queue.slow)
        super().confirm_arrives(queue)

    def _closed(self, channel: PublishingChannel) -> None:
        """A channel has closed; mirrors wait for nothing more of it (D4.16)."""
        for queue in channel.watching:
            if isinstance(queue, HostedMirror) and queue.machine.mirrors():
                queue.await_end(channel)
                self._offer(Action.FORGET_SENDER, channel, queue)
        super()._closed(channel)
