"""What was asked to go wrong and has not yet: faults that wait for a publish, and what they keep.

The steps ask here when something was published that its publisher hears about, when it reaches a
queue, when the queue has taken it in, when it is synced and confirmed, and when a channel is about
to tell what is settled.  As long as no fault was ever asked for they do not ask at all.

A step that must wait is refused before it is begun.  Whoever lets it go offers it again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackproof.impl.faults.confirm_reordering import Held
from ackproof.impl.faults.connection_cuts import ConnectionCuts
from ackproof.impl.machines.publication import confirming, content_of, name_of
from ackproof.impl.steps.scheduler import Action, Step
from ackproof.lang import NotEnabled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ackproof.impl.faults.confirm_reordering import Reordering
    from ackproof.impl.faults.trigger import Trigger
    from ackproof.impl.history.history import History
    from ackproof.impl.machines.channels import PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue
    from ackproof.impl.steps.fault_hooks import CrashesQueues
    from ackproof.impl.wire.content import Message
    from ackproof.spec.sorts import Msg

__all__ = ["FaultTriggers"]

#: The steps by which a publisher is told.
_TELLING = (Action.FLUSH, Action.COMPLETE)
#: The steps by which a channel hears what a queue has cast.
_ARRIVING = (Action.CONFIRM_ARRIVES, Action.REJECT_ARRIVES)
#: The steps by which a message that was kept goes on.
_HELD_UP = (Action.SYNC, *_ARRIVING)


@dataclass
class FaultTriggers:
    """The faults that wait, by what they do.

    Attributes:
        history: takes down which have struck.
        offer: a step that was refused is possible again.
        delete: a queue is to be deleted.
        refusing: the queues of a publish refuse it.
        crashing: the queues of a publish crash when they have taken it in.
        deleting: or they are deleted.
        clock: tells the time.
        delaying: the channel of a publish tells nothing, for so many seconds or until released.
        cuts: the connection of a publish breaks when it is settled.
        reordering: publishes of a channel are settled in another order.
        guarded: no channel tells anything.
        stopped: steps by which channels would have told something, and were not let.
    """

    history: History
    offer: Callable[[Step], None]
    delete: Callable[[HostedQueue], None]
    clock: Callable[[], float]
    refusing: list[Trigger] = field(default_factory=list)
    crashing: list[Trigger] = field(default_factory=list)
    deleting: list[Trigger] = field(default_factory=list)
    delaying: list[tuple[Trigger, float | None]] = field(default_factory=list)
    cuts: ConnectionCuts = field(default_factory=ConnectionCuts)
    reordering: list[Reordering] = field(default_factory=list)
    guarded: bool = False
    stopped: dict[Step, None] = field(default_factory=dict)
    _refused: dict[Msg, int] = field(default_factory=dict)
    _fatal: dict[Msg, int] = field(default_factory=dict)
    _final: dict[Msg, int] = field(default_factory=dict)
    _unwanted: list[HostedQueue] = field(default_factory=list)
    _doomed: list[HostedQueue] = field(default_factory=list)
    _delayed: dict[PublishingChannel, None] = field(default_factory=dict)
    _released_at: dict[PublishingChannel, float] = field(default_factory=dict)

    def published(
        self,
        channel: PublishingChannel,
        msg: Msg,
        targets: Iterable[HostedQueue],
    ) -> None:
        """A message is on its way: see whether it is one that a fault waits for."""
        if not confirming(msg):
            return
        message = content_of(msg)
        queues = tuple(targets)
        takers = sum(queue.machine.leads() for queue in queues)
        if takers and _strikes(self.refusing, message):
            self._refused[msg] = takers
        if takers and _strikes(self.crashing, message):
            self._fatal[msg] = takers
        if takers and _strikes(self.deleting, message):
            self._final[msg] = takers
        self._delay(channel, message)
        self.cuts.published(channel, msg)
        if queues and channel.machine.confirming:
            self._keep(channel, Held(msg, queues))

    def _delay(self, channel: PublishingChannel, message: Message) -> None:
        """See whether the channel of a publish is to tell nothing, and for how long."""
        for trigger, seconds in self.delaying:
            if not trigger.strikes(message):
                continue
            self._delayed[channel] = None
            self._note("delay_confirms", **_place(channel))
            if seconds is not None:
                self._released_at[channel] = self.clock() + seconds
        self.delaying = [one for one in self.delaying if not one[0].spent]

    @property
    def due(self) -> float | None:
        """Return when the next channel is to tell again by itself, by the clock; None for never."""
        return min(self._released_at.values(), default=None)

    def release_due(self) -> None:
        """Let those channels tell again whose time has come."""
        now = self.clock()
        for channel in [one for one, when in self._released_at.items() if when <= now]:
            del self._released_at[channel]
            self._delayed.pop(channel, None)
            for step in [one for one in self.stopped if one.channel is channel]:
                del self.stopped[step]
                self.offer(step)

    def refuses(self, msg: Msg) -> bool:
        """Tell whether the queue that a message has reached is to refuse it."""
        if not _counted(self._refused, msg):
            return False
        self._note("nack_next", message=name_of(msg))
        return True

    def accepted(self, msg: Msg, queue: HostedQueue) -> None:
        """A queue has taken a message in: see whether it is to end for that."""
        if _counted(self._fatal, msg):
            self._note("crash_next", message=name_of(msg), queue=queue.name, vhost=queue.vhost)
            self._doomed.append(queue)
        if _counted(self._final, msg):
            self._note("delete_next", message=name_of(msg), queue=queue.name, vhost=queue.vhost)
            self._unwanted.append(queue)

    def strike(self, steps: CrashesQueues) -> None:
        """A step was taken, or refused: let happen what was asked to happen right then."""
        for channel, written in self.cuts.take():
            moment = "after_confirm" if written else "before_confirm"
            self._note("drop_connection", when=moment, **_place(channel))
            assert channel.place is not None
            channel.place.connection.sever(written=written)
        while self._doomed:
            queue = self._doomed.pop()
            if queue.running:
                steps.crash_queue(queue)
        while self._unwanted:
            self.delete(self._unwanted.pop())

    # -- telling --------------------------------------------------------------------------------

    def permit(self, step: Step) -> None:
        """Let a step be taken, unless it is one that was asked to wait.

        Raises:
            NotEnabled: it was.
        """
        action, channel, queue = step
        if action in _TELLING:
            if self.guarded or channel in self._delayed:
                self.stopped[step] = None
                raise NotEnabled("confirms are withheld")
        elif self.reordering and action in _ARRIVING and queue is not None and queue.running:
            cast = queue.machine.outbox if action is _ARRIVING[0] else queue.machine.refused
            if any(one.stops(cast) for one in self.reordering):
                raise NotEnabled("other confirms come first")

    def tell(self, channel: PublishingChannel, say: Callable[[], None]) -> None:
        """Tell a publisher what is settled, unless its connection is to break before that.

        Raises:
            NotEnabled: it is, or there is nothing to tell.
        """
        settled = channel.machine.confirmed | channel.machine.rejected
        if self.cuts.comes_first(channel, settled):
            raise NotEnabled("its connection breaks first")
        say()
        for one in self.reordering:
            if one.channel is channel:
                self._let_go(one.settled(settled))
        self.reordering = [one for one in self.reordering if not one.over]

    def closed(self, channel: PublishingChannel) -> None:
        """A channel is closed: nothing waits for it any more."""
        self._delayed.pop(channel, None)
        self._released_at.pop(channel, None)
        self.cuts.closed(channel)
        self.stopped = {step: None for step in self.stopped if step.channel is not channel}
        self._end([one for one in self.reordering if one.channel is channel])

    def release(self) -> None:
        """Let every channel tell again, and everything be settled as it comes."""
        self.guarded = False
        self._delayed.clear()
        self._released_at.clear()
        stopped, self.stopped = self.stopped, {}
        for step in stopped:
            self.offer(step)
        self._end([one for one in self.reordering if one.channel is not None])

    # -- another order --------------------------------------------------------------------------

    def _keep(self, channel: PublishingChannel, held: Held) -> None:
        for one in self.reordering:
            if not one.take(channel, held):
                continue
            if one.complete:
                seqs = [channel.tag(late.msg) for late in one.turns]
                self._note("reorder_confirms", **_place(channel), seqs=seqs)
                self._let_go(one.proceed())
            return

    def free(self, landed: list[Msg]) -> list[Msg]:
        """Return those messages that may be synced."""
        if not self.reordering:
            return landed
        return [msg for msg in landed if not any(one.keeps(msg) for one in self.reordering)]

    def _end(self, ended: list[Reordering]) -> None:
        self.reordering = [one for one in self.reordering if one not in ended]
        for one in ended:
            self._let_go(one.end())

    def _let_go(self, going: list[Held]) -> None:
        for held in going:
            for queue in held.queues:
                for process in queue.membership or (queue,):
                    for action in _HELD_UP:
                        self.offer(Step(action, None, process))

    def _note(self, name: str, **facts: Any) -> None:
        self.history.note("fault", fault=name, **facts)


def _strikes(triggers: list[Trigger], message: Message) -> bool:
    """Tell whether one of these triggers strikes; drop those that never will again."""
    struck = any(trigger.strikes(message) for trigger in triggers)
    triggers[:] = [trigger for trigger in triggers if not trigger.spent]
    return struck


def _counted(left: dict[Msg, int], msg: Msg) -> bool:
    """Tell whether a fault is due for one queue more that a message has reached, and count it."""
    if msg not in left:
        return False
    left[msg] -= 1
    if not left[msg]:
        del left[msg]
    return True


def _place(channel: PublishingChannel) -> dict[str, Any]:
    if channel.place is None:
        return {}
    return {"connection": channel.place.connection.number, "channel": channel.place.number}
