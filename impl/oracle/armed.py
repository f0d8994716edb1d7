"""What was asked to go wrong and has not yet: faults that wait for a publish, and what they keep.

The steps ask here at four moments: when something was published in confirm mode, when it reaches a
queue, when the queue has taken it in, and when a channel is about to tell what is settled.  As long
as nothing was ever armed they do not ask at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackproof.spec.lang import NotEnabled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackproof.impl.machines.hosted import HostedQueue
    from ackproof.impl.machines.publishing import PublishingChannel
    from ackproof.impl.oracle.history import History
    from ackproof.impl.oracle.trigger import Trigger
    from ackproof.impl.steps.core import Steps
    from ackproof.impl.wire.content import Message
    from ackproof.spec.lang import Option
    from ackproof.spec.sorts import Msg

__all__ = ["Armed"]


@dataclass
class Armed:
    """The faults that wait, by what they do.

    Attributes:
        history: takes down which have struck.
        refusing: the queues of a publish refuse it.
        crashing: the queues of a publish crash when they have taken it in.
        delaying: the channel of a publish tells nothing.
        cutting: the connection of a publish breaks when it is settled: after that was told, or
            before.
        guarded: no channel tells anything.
        stopped: channels that had something to tell, and were not let.
    """

    history: History
    refusing: list[Trigger] = field(default_factory=list)
    crashing: list[Trigger] = field(default_factory=list)
    delaying: list[Trigger] = field(default_factory=list)
    cutting: list[tuple[Trigger, bool]] = field(default_factory=list)
    guarded: bool = False
    stopped: dict[PublishingChannel, None] = field(default_factory=dict)
    _refused: dict[Msg, int] = field(default_factory=dict)
    _fatal: dict[Msg, int] = field(default_factory=dict)
    _doomed: list[HostedQueue] = field(default_factory=list)
    _delayed: dict[PublishingChannel, None] = field(default_factory=dict)
    _cuts: dict[PublishingChannel, dict[Msg, bool]] = field(default_factory=dict)

    def published(
        self,
        channel: PublishingChannel,
        seq: Option[Msg],
        msg: Msg,
        message: Message,
        targets: Iterable[HostedQueue],
    ) -> None:
        """A message was published: see whether it is one that a fault waits for."""
        if seq is None:
            return
        routed = len(list(targets))
        if routed and _strikes(self.refusing, message):
            self._refused[msg] = routed
        if routed and _strikes(self.crashing, message):
            self._fatal[msg] = routed
        if _strikes(self.delaying, message):
            self._delayed[channel] = None
            self._note("delay_confirms", **_place(channel))
        for trigger, written in self.cutting:
            if trigger.strikes(message):
                self._cuts.setdefault(channel, {})[seq] = written
        self.cutting = [(trigger, w) for trigger, w in self.cutting if not trigger.spent]

    def refuses(self, msg: Msg) -> bool:
        """Tell whether the queue that a message has reached is to refuse it."""
        if not _counted(self._refused, msg):
            return False
        self._note("nack_next", message=msg)
        return True

    def accepted(self, msg: Msg, queue: HostedQueue) -> None:
        """A queue has taken a message in: see whether it is to crash for that."""
        if _counted(self._fatal, msg):
            self._note("crash_next", message=msg, queue=queue.name, vhost=queue.vhost)
            self._doomed.append(queue)

    def strike(self, steps: Steps) -> None:
        """A step was taken: let happen what was asked to happen right after it."""
        while self._doomed:
            queue = self._doomed.pop()
            if queue.running:
                steps.crash_queue(queue)

    def flush(self, channel: PublishingChannel) -> None:
        """Take the step `flush`, or what was asked to happen in its place.

        Raises:
            NotEnabled: it was not taken.
        """
        if self.guarded or channel in self._delayed:
            self.stopped[channel] = None
            raise NotEnabled("confirms are withheld")
        written = self._cut(channel)
        if written is not False:
            channel.machine.flush()
        if written is not None:
            moment = "after_confirm" if written else "before_confirm"
            self._note("drop_connection", when=moment, **_place(channel))
            assert channel.place is not None
            channel.place.connection.sever(written=written)

    def _cut(self, channel: PublishingChannel) -> bool | None:
        """Say how the connection of a channel that may flush is to be cut; None if it is not."""
        armed = self._cuts.get(channel, {})
        settled = channel.machine.confirmed | channel.machine.rejected
        struck = [written for seq, written in armed.items() if seq in settled]
        if not struck:
            return None
        del self._cuts[channel]
        return all(struck)

    def closed(self, channel: PublishingChannel) -> None:
        """A channel is closed: nothing waits for it any more."""
        for waiting in (self.stopped, self._delayed, self._cuts):
            waiting.pop(channel, None)

    def release(self) -> list[PublishingChannel]:
        """Let every channel tell again; return those that have something to tell."""
        self.guarded = False
        self._delayed.clear()
        stopped = list(self.stopped)
        self.stopped.clear()
        return stopped

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
