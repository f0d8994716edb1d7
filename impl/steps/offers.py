"""Offers: from what the system says to the steps that a scheduler may choose.

As the broker's system takes an action it says which others may have become possible by what it
wrote (`ackproof.model.native.waking`).  Which these are is derived from what the specification's
actions read and write, and is said nowhere in the broker.  What it names are elements, a
channel or a process of a queue, or none where any of them may be meant; here are the hosted objects
that these stand for.

A message that is on its way is offered at once.  All else is noted, and offered when the step is
over: the system may say the same of each message in a step.  An action
that the system says is not possible by then is not offered.

What the specification does not speak of is offered by hand, by whoever knows of it: what landed on
the disk, what a clock says, a process that was slow, a fault that is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, Protocol

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.hosted_system import HANDLES, HostedSystem, may, wake
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, processes_of
from ackproof.impl.steps.scheduler import TELLING, Action, Scheduler, Step
from ackproof.spec.sorts import ChannelId, Replica

__all__ = ["Offers"]

#: The step by which the broker takes an action of the system, where it has another name.
_STEPS = {
    "deliver_to_mirror": Action.DELIVER,
    "master_tells": Action.FOLLOW,
    "master_removes": Action.FOLLOW,
    "hand_out": Action.SERVE,
}


#: Steps that are nearly always possible when that is noted; it is not worth while to ask again.
_LIKELY = {Action.DRAIN, Action.CONFIRM_ARRIVES, Action.FLUSH}

_Test = Callable[..., bool]
_Noted = dict[tuple[Callable[..., None], tuple[Any, ...]], None]


class Schedules(Protocol):
    """Has a scheduler, now this one and now another."""

    scheduler: Scheduler


class Offers:
    """Offers what may have become possible.

    Args:
        system: says what that is.
        context: has the scheduler that is told of each step.
        channels: by what the machines call them.
        consuming: channels as their consumers know them, by that, too.

    Attributes:
        noted: what has still to be offered: who does that, and the handles.
        telling: the same of the steps by which is told what is settled.
    """

    def __init__(
        self,
        system: HostedSystem,
        context: Schedules,
        channels: Mapping[ChannelId, PublishingChannel],
        consuming: Mapping[ChannelId, ConsumingChannel],
    ) -> None:
        self.noted: _Noted = {}
        self.telling: _Noted = {}
        self._context = context
        self._queues = processes_of(system)
        self._channels = channels
        self._consuming = consuming
        self._has_room = system.has_room
        told = SimpleNamespace()
        for name, handles in HANDLES.items():
            action = _STEPS[name] if name in _STEPS else Action[name.upper()]
            test = may(system, name)
            if test is not None:
                setattr(told, name, self._told(action, test, handles))
        wake(system, told)

    def _told(self, action: Action, test: _Test, handles: tuple[str, ...]) -> Callable[..., None]:
        """Return what is told that an action may be possible."""
        if action is Action.SERVE:
            return self._serving
        if action is Action.FORGET_SENDER:
            test = self._is_leaving
        if len(handles) == 2:
            noting = self._noting(action, self._taker_of_both(action, test))
            return self._arriving(noting) if action is Action.DELIVER else noting
        asked = None if action in _LIKELY else test
        return self._noting(action, self._taker_of_one(action, asked, handles[0]))

    def _noting(self, action: Action, taker: Callable[..., None]) -> Callable[..., None]:
        noted = self.telling if action in TELLING else self.noted

        def tell(*handles: Any) -> None:
            noted[taker, handles] = None

        return tell

    def _arriving(self, noting: Callable[..., None]) -> Callable[..., None]:
        """Return what offers a message to a process that is known at once."""
        channels, queues, context = self._channels, self._queues, self._context

        def tell(channel: Any, replica: Any) -> None:
            if channel in channels and replica in queues:
                step = Step(Action.DELIVER, channels[channel], queues[replica])
                context.scheduler.offer(step)
            else:
                noting(channel, replica)

        return tell

    def _taker_of_both(self, action: Action, test: _Test) -> Callable[..., None]:
        def take(channel: ChannelId | None, replica: Replica | None) -> None:
            for publishing, queue in self._pairs(channel, replica):
                if test(publishing.id, queue.key):
                    self._context.scheduler.offer(Step(action, publishing, queue))

        return take

    def _taker_of_one(self, action: Action, test: _Test | None, handle: str) -> Callable[..., None]:
        of_channel, context = handle == "channel", self._context
        known: Mapping[Any, Any] = self._channels if of_channel else self._queues

        def take(key: Any) -> None:
            if key is None:
                for each in list(known):
                    take(each)
                return
            found = known.get(key)
            if found is not None and (test is None or test(key)):
                step = Step(action, found, None) if of_channel else Step(action, None, found)
                context.scheduler.offer(step)

        return take

    def look(self) -> None:
        """Offer what was noted since somebody looked."""
        _offer(self.noted)

    def look_at_telling(self) -> None:
        """Offer what was noted of telling since somebody looked at that."""
        _offer(self.telling)

    # -- handles --------------------------------------------------------------------------------

    def _pairs(
        self, channel: ChannelId | None, replica: Replica | None
    ) -> Iterable[tuple[PublishingChannel, HostedQueue]]:
        """Return channels with processes that they have to do with."""
        if channel is not None:
            one = self._channels.get(channel)
            if one is None:
                return []
            if replica is not None:
                queue = self._queues.get(replica)
                return [(one, queue)] if queue is not None else []
            return [(one, queue) for queue in dict.fromkeys((*one.watching, *one.leaving))]
        found = self._queues.get(replica) if replica is not None else None
        queues = list(self._queues.values()) if replica is None else [found] if found else []
        return [(one, queue) for queue in queues for one in _concerned(queue)]

    def _is_leaving(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether a mirror has still to forget a channel, even if it never heard of it."""
        mirror = self._queues[replica]
        return isinstance(mirror, HostedMirror) and self._channels[channel] in mirror.leaving

    # -- consumers ------------------------------------------------------------------------------

    def _serving(self, channel: ChannelId | None, replica: Replica | None) -> None:
        """The consumers of a channel may have room, or a queue something for its consumers.

        Of a channel none of whose consumers is parked, and of a queue all of whose consumers are,
        this says nothing new.
        """
        if channel is not None:
            consuming = self._consuming.get(channel)
            if consuming is not None and consuming.parked:
                self.noted[self.wake, (consuming,)] = None
        elif replica is not None:
            queue = self._queues.get(replica)
            if queue is not None and queue.consumers.turns:
                self.noted[self.serve, (queue,)] = None
        else:
            self.noted[self._serve_all, ()] = None

    def _serve_all(self) -> None:
        for queue in list(self._queues.values()):
            for consumer in list(queue.consumers):
                queue.consumers.wake(consumer)
            self.serve(queue)

    def wake(self, channel: ConsumingChannel) -> None:
        """The consumers of a channel may have room again (F2.4).

        One that has none stays parked, and comes before those that are parked after it.
        """
        for consumer in list(channel.parked):
            if self._has_room(consumer.key):
                del channel.parked[consumer]
                consumer.queue.consumers.wake(consumer)
                self.serve(consumer.queue)

    def serve(self, queue: HostedQueue) -> None:
        """Offer to serve the consumer whose turn it is."""
        if queue.machine.ready and queue.consumers.next() is not None:
            self._context.scheduler.offer(Step(Action.SERVE, None, queue))


def _offer(noted: _Noted) -> None:
    for taker, handles in noted:  # to look at one makes no other
        taker(*handles)
    noted.clear()


def _concerned(queue: HostedQueue) -> Iterable[PublishingChannel]:
    """Return the channels that a process has to do with."""
    if isinstance(queue, HostedMirror):
        return list(dict.fromkeys((*queue.watchers, *queue.leaving)))
    return list(queue.watchers)
