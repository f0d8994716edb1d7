"""The specification's system, beside one channel of the broker and its queues.

It is `Confirms` as it stands, with a process for each that the broker has, under the same name.
What the broker knows and a system of one channel cannot know, it is told:

* whether a queue has room, which depends on the messages of all channels (B5.3);
* which mirrors lack a message of another channel (D7.2);
* which of a message that a master has told is lost with it: that depends on what of the messages of
  other channels has arrived (D1.3);
* in a queue with priorities, which message comes before which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, cast, get_args

from ackproof.lang import Each, Event, Option, Process, Sort
from ackproof.lang.process import hints_of, keys_of, observers_of
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Born, ChannelId, Msg, Overflow, Queue, Replica, Status
from ackproof.spec.system import Confirms

__all__ = ["CHANNEL", "Copy", "Left", "Taken"]


class Left(NamedTuple):
    """What is still on its way to a mirror when its master is dead."""

    coming: set[Msg]
    removals: set[Msg]


class Taken(NamedTuple):
    """A step that was taken: an action of the specification, and its arguments."""

    action: str
    args: tuple[Any, ...] = ()
    full: Replica | None = None  # a queue that has no room in this step
    left: Mapping[Replica, Left] | None = None  # what survives a master that ends in this step

    def __str__(self) -> str:
        return f"{self.action}({', '.join(map(str, self.args))})"


class _Process(QueueProcess):
    """A process of a queue that may have priorities."""

    ranks: Mapping[Msg, tuple[int, Msg]]

    def head(self) -> Option[Msg]:
        """Return the message that is handed out next (INV-B4)."""
        return min(self.ready, key=lambda msg: self.ranks.get(msg, (0, msg)), default=None)


class _System(Confirms):
    """A system that is told what it cannot know."""

    left: Mapping[Replica, Left] | None = None

    def lacks(self, mirrors: set[Replica]) -> None:
        """These mirrors lack what another channel has published (D7.2)."""
        self.unsynced |= mirrors

    def fall_silent(self, replica: Replica) -> None:
        """What a dead master told nobody is lost: the broker says what that is (D1.3)."""
        if self.left is None:
            super().fall_silent(replica)
            return
        for mirror, (coming, removals) in self.left.items():
            for way in (self.multicast.copies, self.multicast.discards, self.multicast.refusals):
                way[mirror] &= coming
            self.multicast.removals[mirror] &= removals


#: The channel that there is.
CHANNEL = cast(ChannelId, "ch1")


class Copy:
    """A system, with the events of its last step."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.system = _System(emit=self._emit, ghosts=True, transactional=True)
        self._enter(self.system, ChannelId, CHANNEL)
        self._observers = observers_of(self.system)

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        for kind, observe in self._observers:
            if isinstance(event, kind):
                observe(event)

    def _enter(self, process: Any, sort: type[Sort], element: object) -> None:
        """Give each family of parts that a sort numbers the member of one element more."""
        for name, hint in hints_of(process.__class__).items():
            part = getattr(process, name)
            if isinstance(part, Each) and get_args(hint)[0] is sort:
                member = _Process if get_args(hint)[1] is QueueProcess else get_args(hint)[1]
                keys = {key: element for key, of in keys_of(member).items() if of is sort}
                part[element] = member(emit=self._emit, ghosts=True, **keys)
            elif isinstance(part, Each | Process):
                for one in part.values() if isinstance(part, Each) else [part]:
                    self._enter(one, sort, element)

    def add(self, key: Replica, like: QueueProcess, ranks: Mapping[Msg, tuple[int, Msg]]) -> None:
        """Add a process that stands as this one, and has no message."""
        self._enter(self.system, Replica, key)
        process = cast(_Process, self.system.replicas[key])
        process.of, process.durable, process.born = like.of, like.durable, like.born
        process.status, process.promoted = like.status, like.promoted
        process.ranks = ranks

    def add_late(self, key: Replica) -> None:
        """A process that was added had joined its queue and its membership before (D1.2)."""
        self.system.replicas[key].joined = True
        self.system.enlisted.add(key)

    def add_dead(self, key: Replica, of: Queue) -> None:
        """Add a process that has ended, and was taken out of the membership (D5.2)."""
        self.add(key, QueueProcess(of=of, durable=True, born=Born.MIRROR), {})
        self.system.replicas[key].status = Status.DOWN
        self.system.trimmed.add(key)

    def take(self, step: Taken) -> None:
        """Take a step."""
        self.events.clear()
        self.system.left = step.left
        with self._full(step.full):
            getattr(self.system, step.action)(*step.args)

    @contextmanager
    def _full(self, key: Replica | None) -> Iterator[None]:
        """Give a queue a limit that it has reached, and that refuses what comes (B5.3)."""
        if key is None:
            yield
            return
        process = self.system.replicas[key]
        before = process.limited, process.max_length, process.overflow
        process.limited, process.max_length = True, 0
        process.overflow = Overflow.REJECT_PUBLISH
        try:
            yield
        finally:
            process.limited, process.max_length, process.overflow = before
