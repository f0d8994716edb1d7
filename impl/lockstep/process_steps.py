"""The steps of processes, taken again: how they end and begin, and what mirrors do.

What a dead master had told its mirrors is lost or not, which depends on what of all channels has
arrived (D1.3).  A shadow knows one channel; so what is left is found out beforehand, for all of
them, by the specification's own rule.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

from ackproof.impl.lockstep.message_steps import Retaken
from ackproof.impl.lockstep.shadow_system import CHANNEL, Left
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, MirrorMembership
from ackproof.lang import Option
from ackproof.spec.network import Multicast
from ackproof.spec.sorts import Msg, Queue, Replica

__all__ = ["RetakenEnds"]


class Ending(NamedTuple):
    """What there was when processes of a queue ended: who monitored each, and what survives."""

    watching: dict[HostedQueue, set[PublishingChannel]]
    survives: dict[Replica, Left] | None


class RetakenEnds(Retaken):
    """What processes of queues do, on the other side."""

    # -- ending and starting again --------------------------------------------------------------

    def _before_crash_queue(self, queue: HostedQueue) -> Ending:
        return Ending({queue: set(queue.watchers)}, _survives(queue))

    _before_lose_node = _before_crash_queue

    def _before_delete_queue(self, queue: HostedQueue) -> Ending:
        processes = [queue] if queue.membership is None else [*queue.membership]
        return Ending({process: set(process.watchers) for process in processes}, None)

    def _crash_queue(self, ending: Ending, queue: HostedQueue) -> None:
        self._ended(ending, "crash_queue", queue, queue.key)

    def _lose_node(self, ending: Ending, queue: HostedQueue) -> None:
        self._ended(ending, "lose_node", queue, queue.key)

    def _delete_queue(self, ending: Ending, queue: HostedQueue) -> None:
        self._ended(ending, "delete_queue", queue, queue.machine.of)

    def _ended(
        self, ending: Ending, action: str, queue: HostedQueue, argument: Replica | Queue
    ) -> None:
        """Let processes end, for channels that monitor them and for those that do not (A5.7).

        Those have published to it once, and heard of an earlier end since, or not since a mirror
        has joined.  The specification has a channel monitor all processes always; what it hears
        then changes nothing.
        """
        for pair in self._concerned(queue):
            pair.take(action, argument, left=pair.left(ending.survives))
            for process, watching in ending.watching.items():
                if pair.channel not in watching:
                    pair.take("down_arrives", CHANNEL, process.key)

    def _restart(self, _: None, queue: HostedQueue) -> None:
        for pair in self._concerned(queue):
            pair.take("restart", queue.key)

    # -- mirrors --------------------------------------------------------------------------------

    def _before_deliver_to_mirror(
        self, channel: PublishingChannel, mirror: HostedMirror
    ) -> Option[Msg]:
        return channel.casts.next_for(mirror.key)

    def _deliver_to_mirror(
        self, msg: Option[Msg], channel: PublishingChannel, mirror: HostedMirror
    ) -> None:
        pair = self._pair(channel)
        number = None if pair is None else pair.number(msg)
        if pair is not None and number is not None:
            pair.take("deliver_to_mirror", number, mirror.key)

    def _master_tells(self, _: None, mirror: HostedMirror, msg: Msg) -> None:
        self._of_message("master_tells", mirror, msg)

    def _master_removes(self, _: None, mirror: HostedMirror, msg: Msg) -> None:
        self._of_message("master_removes", mirror, msg)

    def _forget_sender(self, _: None, channel: PublishingChannel, mirror: HostedMirror) -> None:
        pair = self._pair(channel)
        if pair is not None and pair.remembers(mirror):
            pair.take("forget_sender", CHANNEL, mirror.key)

    def _enlist(self, _: None, mirror: HostedMirror, membership: MirrorMembership) -> None:
        for pair in self._concerned(membership.leader):
            pair.enlist(mirror, membership)

    def _synchronise(self, _: None, mirror: HostedMirror) -> None:
        assert mirror.membership is not None
        for pair in self._concerned(mirror):
            pair.take("synchronise", mirror.key, mirror.membership.leader.key)

    def _promote(self, _: None, mirror: HostedMirror) -> None:
        assert mirror.membership is not None
        for pair in self._concerned(mirror):
            pair.promote(mirror, mirror.membership)


def _survives(queue: HostedQueue) -> dict[Replica, Left] | None:
    """Return what is left on its way to mirrors when their master ends, by the spec's own rule."""
    membership, known = queue.membership, queue.system.multicast
    if membership is None or queue is not membership.leader:
        return None
    keys, multicast = [mirror.key for mirror in membership.mirrors], Multicast()
    for key in keys:
        for name in ("copies", "discards", "refusals", "removals", "missed"):
            getattr(multicast, name)[key] = set(getattr(known, name)[key])
        multicast.order[key] = copy(known.order[key])
    multicast.equalise(set(keys))
    return {key: Left(multicast.coming(key), multicast.removals[key]) for key in keys}
