"""Mistakes in the steps of mirrors, each a method to put in the place of the right one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue
from ackproof.impl.steps import publishing
from ackproof.impl.steps.contents import Contents
from ackproof.impl.steps.mirrors import Mirrors
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.processes import Processes
from ackproof.spec.sorts import Level, Msg

__all__ = ["MISTAKES", "Mistake"]


@dataclass(frozen=True)
class Mistake:
    """What is put where.

    Attributes:
        place: a class or a module.
        name: of the method or function that is replaced.
        make: returns what replaces it, given what was there.
    """

    place: Any
    name: str
    make: Callable[[Any], Any]


def _masters_only(_: Any) -> Any:
    def processes(targets: Iterable[HostedQueue]) -> list[HostedQueue]:
        return list(targets)

    return processes


def _silent_about_removals(tell: Any) -> Any:
    def tell_the_rest(steps: Contents, queue: HostedQueue, msg: Msg) -> None:
        for mirror in queue.membership.mirrors if queue.membership else ():
            steps.system.multicast.removals[mirror.key].discard(msg)
        tell(steps, queue, msg)

    return tell_the_rest


def _unequal(lose_node: Any) -> Any:
    def speak_on(steps: Processes, queue: HostedQueue) -> None:
        multicast = steps.system.multicast
        mirrors = list(queue.membership.mirrors) if queue.membership else []
        told = {mirror.key: list(multicast.order[mirror.key]._told) for mirror in mirrors}
        copies = {mirror.key: set(multicast.copies[mirror.key]) for mirror in mirrors}
        lose_node(steps, queue)
        for mirror in mirrors:
            for msg in told[mirror.key] if mirror.running else ():
                if msg in copies[mirror.key] - multicast.copies[mirror.key]:
                    multicast.tell_publish(msg, mirror.key)

    return speak_on


def _forgetful(promote: Any) -> Any:
    def forget_direct(steps: Processes, mirror: HostedMirror) -> None:
        mirror.machine.direct.clear()
        promote(steps, mirror)

    return forget_direct


def _empty(synchronise: Any) -> Any:
    def give_nothing(steps: Processes, mirror: HostedMirror) -> None:
        had = set(mirror.machine.ready)
        synchronise(steps, mirror)
        for msg in mirror.machine.ready - had:
            mirror.machine.ready.discard(msg)
            mirror.machine.store.level[msg] = Level.ABSENT

    return give_nothing


def _hasty(deliver: Any) -> Any:
    @observed
    def deliver_to_mirror(steps: Mirrors, channel: PublishingChannel, mirror: HostedMirror) -> None:
        msg = channel.casts.next_for(mirror.key)
        deliver(steps, channel, mirror)
        if msg in mirror.machine.direct:
            mirror.machine.outbox.add(msg)

    return deliver_to_mirror


def _attached(forget: Any) -> Any:
    @observed
    def forget_sender(steps: Mirrors, channel: PublishingChannel, mirror: HostedMirror) -> None:
        known = dict(mirror.machine.seen)
        forget(steps, channel, mirror)
        mirror.machine.seen.update(known)

    return forget_sender


#: What is wrong, by what it does.
MISTAKES = {
    "casts to the master only": Mistake(publishing, "_processes", _masters_only),
    "tells no mirror what leaves": Mistake(Contents, "tell", _silent_about_removals),
    "lets a dead master speak on": Mistake(Processes, "lose_node", _unequal),
    "forgets what a new master has from channels": Mistake(Processes, "promote", _forgetful),
    "keeps what it has of closed channels": Mistake(Mirrors, "forget_sender", _attached),
    "synchronises nothing": Mistake(Processes, "synchronise", _empty),
    "confirms before the master has said anything": Mistake(Mirrors, "deliver_to_mirror", _hasty),
}
