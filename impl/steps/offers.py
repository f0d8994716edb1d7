"""Offers: from what the system notes to the steps that a scheduler may choose.

As the broker's system takes an action it notes which others may have become possible by what it
wrote (`ackproof.model.native.waking`).  Which these are is derived from what the specification's
actions read and write, and is said nowhere in the broker.  What a note names are elements, a
channel or a process of a queue, or none where any of them may be meant; here are the hosted objects
that these stand for.  An action that the system says is not possible is not offered.

What the specification does not speak of is offered by hand, by whoever knows of it: what landed on
the disk, what a clock says, a process that was slow, a fault that is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.hosted_system import HANDLES, HostedSystem, may, woken
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, processes_of
from ackproof.impl.steps.scheduler import Action, Step
from ackproof.spec.sorts import ChannelId, Replica

__all__ = ["Offers"]

#: The step by which the broker takes an action of the system, where it has another name.
_STEPS = {
    "deliver_to_mirror": Action.DELIVER,
    "master_tells": Action.FOLLOW,
    "master_removes": Action.FOLLOW,
    "hand_out": Action.SERVE,
}


#: Steps that are nearly always possible when that is noted; it is not worth while to ask.
_LIKELY = {Action.DELIVER, Action.DRAIN, Action.CONFIRM_ARRIVES, Action.FLUSH}

_Offer = Callable[[Step], None]


class Offers:
    """Offers what may have become possible.

    Args:
        system: notes it.
        offer: called with each step.
        channels: by what the machines call them.
        consuming: channels as their consumers know them, by that, too.
    """

    def __init__(
        self,
        system: HostedSystem,
        offer: _Offer,
        channels: Mapping[ChannelId, PublishingChannel],
        consuming: Mapping[ChannelId, ConsumingChannel],
    ) -> None:
        self._offer = offer
        self._woken = woken(system)
        self._queues = processes_of(system)
        self._channels = channels
        self._consuming = consuming
        self._may_serve = may(system, "hand_out") or _never
        self._tests: dict[Action, list[Callable[..., bool]]] = {}
        self._takers: dict[str, Callable[..., None]] = {}
        for name, handles in HANDLES.items():
            action = _STEPS[name] if name in _STEPS else Action[name.upper()]
            test = may(system, name)
            if test is not None:
                self._takers[name] = self._taker(action, test, len(handles), handles[0])
                self._tests.setdefault(action, []).append(test)

    def _taker(
        self, action: Action, test: Callable[..., bool], count: int, first: str
    ) -> Callable[..., None]:
        """Return what offers an action, given the note that it may be possible."""
        if action is Action.SERVE:
            return self._serve
        if action is Action.FORGET_SENDER:
            test = self._is_leaving
        if action in _LIKELY:
            test = _always
        channels, queues = self._channels, self._queues

        def of_both(note: tuple[Any, ...]) -> None:
            _, channel, replica = note
            if channel is None or replica is None:
                self._pairs_of(action, test, channel, replica)
                return
            one, queue = channels.get(channel), queues.get(replica)
            if one is not None and queue is not None and test(channel, replica):
                self._offer(Step(action, one, queue))

        def of_channel(note: tuple[Any, ...]) -> None:
            for key in note[1:] if note[1] is not None else tuple(channels):
                channel = channels.get(key)
                if channel is not None and test(key):
                    self._offer(Step(action, channel, None))

        def of_queue(note: tuple[Any, ...]) -> None:
            for key in note[1:] if note[1] is not None else tuple(queues):
                queue = queues.get(key)
                if queue is not None and test(key):
                    self._offer(Step(action, None, queue))

        if count == 2:
            return of_both
        return of_channel if first == "channel" else of_queue

    def look(self) -> None:
        """Offer what the system has noted since somebody looked."""
        takers = self._takers
        for note in self._woken:  # to look at one makes no other
            takers[note[0]](note)
        self._woken.clear()

    def again(self, step: Step) -> None:
        """A step was taken; offer it again if it chooses something and there is more to choose."""
        action, channel, queue = step
        if action is Action.DELIVER:
            assert channel is not None
            assert queue is not None
            if channel.id in self._channels and queue.key in self._queues:
                for test in self._tests[action]:
                    if test(channel.id, queue.key):
                        self._offer(step)
        elif action is Action.FOLLOW:
            assert queue is not None
            for test in self._tests[action]:
                if queue.key in self._queues and test(queue.key):
                    self._offer(step)

    # -- handles --------------------------------------------------------------------------------

    def _pairs_of(
        self,
        action: Action,
        test: Callable[..., bool],
        channel: ChannelId | None,
        replica: Replica | None,
    ) -> None:
        for publishing, queue in self._pairs(channel, replica):
            if test(publishing.id, queue.key):
                self._offer(Step(action, publishing, queue))

    def _pairs(
        self, channel: ChannelId | None, replica: Replica | None
    ) -> Iterable[tuple[PublishingChannel, HostedQueue]]:
        """Return channels with processes that they have to do with."""
        if channel is not None:
            one = self._channels.get(channel)
            if one is None:
                return []
            return [(one, queue) for queue in dict.fromkeys((*one.watching, *one.leaving))]
        found = self._queues.get(replica) if replica is not None else None
        queues = list(self._queues.values()) if replica is None else [found] if found else []
        return [(one, queue) for queue in queues for one in _concerned(queue)]

    def _is_leaving(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether a mirror has still to forget a channel, even if it never heard of it."""
        mirror = self._queues[replica]
        return isinstance(mirror, HostedMirror) and self._channels[channel] in mirror.leaving

    # -- consumers ------------------------------------------------------------------------------

    def _serve(self, note: tuple[Any, ...]) -> None:
        """The consumers of a channel may have room, or a queue something for its consumers."""
        channel: ChannelId | None = note[1]
        replica: Replica | None = note[2]
        if channel is not None:
            consuming = self._consuming.get(channel)
            if consuming is not None:
                self.wake(consuming)
        elif replica is not None:
            queue = self._queues.get(replica)
            if queue is not None and queue.consumers:
                self.serve(queue)
        else:
            for queue in list(self._queues.values()):
                for consumer in list(queue.consumers):
                    queue.consumers.wake(consumer)
                self.serve(queue)

    def wake(self, channel: ConsumingChannel) -> None:
        """The consumers of a channel may have room again (F2.4)."""
        for consumer in list(channel.parked):
            consumer.queue.consumers.wake(consumer)
            self.serve(consumer.queue)
        channel.parked.clear()

    def serve(self, queue: HostedQueue) -> None:
        """Offer to serve the consumer whose turn it is."""
        consumer = queue.consumers.next()
        if consumer is not None and self._may_serve(consumer.channel.id, queue.key):
            self._offer(Step(Action.SERVE, None, queue))


def _always(*_: object) -> bool:
    return True


def _never(*_: object) -> bool:
    return False


def _concerned(queue: HostedQueue) -> Iterable[PublishingChannel]:
    """Return the channels that a process has to do with."""
    if isinstance(queue, HostedMirror):
        return list(dict.fromkeys((*queue.watchers, *queue.leaving)))
    return list(queue.watchers)
