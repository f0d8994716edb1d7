"""The steps by which a mirror hears what becomes of the messages of its queue.

At a mirror a message arrives twice: from the channel, and from the master, and what it does there
depends on which copy comes first: `deliver_to_mirror` and `master_tells` of the specification
(D2-D4).  The step `follow` takes `master_removes` of a message as soon as that is possible, and
else the next `master_tells`.
"""

from __future__ import annotations

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue
from ackproof.impl.steps.answers import Answers
from ackproof.impl.steps.contents import Contents
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.lang import require
from ackproof.spec.sorts import Msg

__all__ = ["Mirrors"]


class Mirrors(Part):
    """Mirrors follow their masters, and hear of channels (D2-D4)."""

    def __init__(self, context: Context, contents: Contents, answers: Answers) -> None:
        super().__init__(context)
        self.contents = contents
        self.answers = answers

    @observed
    def deliver_to_mirror(self, channel: PublishingChannel, mirror: HostedMirror) -> None:
        """The direct copy of a message arrives at a mirror (D4.1-D4.5)."""
        msg = channel.casts.next_for(mirror.key)
        require(msg is not None and not mirror.slow)
        assert msg is not None
        self.system.deliver_to_mirror(msg, mirror.key)
        if channel.casts.next_for(mirror.key) is None and not channel.machine.open:
            mirror.await_end(channel)
            self.answers.unwatch(channel, mirror)

    def follow(self, mirror: HostedMirror) -> None:
        """A mirror hears the next of what its master has told.

        In a partition it does not, before both know that no more will come (D1.3).
        """
        membership, multicast = mirror.membership, self.system.multicast
        require(membership is not None and mirror.machine.mirrors() and not mirror.slow)
        assert membership is not None
        leader = membership.leader
        require(not leader.machine.leads() or self._hears(mirror, leader))
        require(not multicast.silent(mirror.key))
        departed, coming = mirror.departed(), multicast.next_from_master(mirror.key)
        if departed is not None:
            self.master_removes(mirror, departed)
        elif coming is not None:
            self.master_tells(mirror, coming)
        if multicast.silent(mirror.key):
            mirror.departing.clear()
        else:  # it stands for two actions, and this was one of them
            self.context.offer(Action.FOLLOW, None, mirror)

    def _hears(self, mirror: HostedMirror, leader: HostedQueue) -> bool:
        return self.system.linked(leader.key, mirror.key) or self.system.divided(leader.key)

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
            self.got(mirror, msg)

    @observed
    def master_removes(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror hears that a message has left the queue (D4.15)."""
        had = mirror.has(msg)
        self.system.master_removes(msg, mirror.key)
        self.lost(mirror, msg, had)

    def got(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror has one message more."""
        lifetime = mirror.lifetime(content_of(msg))
        if lifetime is not None:
            self.timers.begin(mirror, msg, lifetime)
        self.contents.keep(mirror, msg)

    def lost(self, mirror: HostedMirror, msg: Msg, had: bool) -> None:
        """A mirror has one message less, if it had it."""
        if had and mirror.part_with(msg):
            self.journal.removed(mirror, msg)

    @observed
    def forget_sender(self, channel: PublishingChannel, mirror: HostedMirror) -> None:
        """A mirror has heard from both sides that a channel is gone (D4.16-D4.18)."""
        require(channel in mirror.leaving and not channel.machine.open)
        require(channel.casts.next_for(mirror.key) is None and mirror.machine.mirrors())
        require(self.system.multicast.silent(mirror.key))
        if mirror.machine.remembers(channel.id):
            self.system.forget_sender(channel.id, mirror.key)
        mirror.end_of(channel)
        self.answers.forget(channel)

    def forget_leaving(self, mirror: HostedMirror) -> None:
        """A mirror waits no more to hear from its master that channels are gone."""
        for channel in list(mirror.leaving):
            mirror.end_of(channel)
            self.answers.forget(channel)
