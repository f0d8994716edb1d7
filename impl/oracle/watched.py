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
from typing import Any, NamedTuple, cast, get_args, get_origin

from ackproof.spec.lang import Each, Event, Option, Process
from ackproof.spec.lang.process import hints_of, observers_of
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Born, Msg, Overflow, Queue, Replica, Status
from ackproof.spec.system import Confirms

__all__ = ["Copy", "Left", "ProcessKey", "Taken"]


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


class ProcessKey(str):
    """The name of a process, ordered by its age, as the sort `Replica` is (D1.1)."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return _age(self) < _age(other)

    def __gt__(self, other: str) -> bool:
        return _age(self) > _age(other)


def _age(key: str) -> int:
    return int(key.removeprefix("q"))


class _Process(QueueProcess):
    """A process of a queue that may have priorities."""

    ranks: Mapping[Msg, Msg]

    def head(self) -> Option[Msg]:
        """Return the message that is handed out next (INV-B4)."""
        return min(self.ready, key=lambda msg: self.ranks.get(msg, msg), default=None)


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
            for way in (self.network.copies, self.network.discards, self.network.refusals):
                way[mirror] &= coming
            self.network.removals[mirror] &= removals


#: The parts of the system of which there is one for each process of a queue, and their classes.
_OF_REPLICAS: dict[str, type[Process]] = {
    part: get_args(hint)[1]
    for part, hint in hints_of(Confirms).items()
    if get_origin(hint) is Each and get_args(hint)[0] is Replica
} | {"replicas": _Process}


class Copy:
    """A system, with the events of its last step."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.system = _System(emit=self._emit, ghosts=True, transactions=True)
        self._observers = observers_of(self.system)

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        for kind, observe in self._observers:
            if isinstance(event, kind):
                observe(event)

    def add(self, key: Replica, like: QueueProcess, ranks: Mapping[Msg, Msg]) -> None:
        """Add a process that stands as this one, and has no message."""
        for part, member in _OF_REPLICAS.items():
            getattr(self.system, part)[key] = member(emit=self._emit, ghosts=True)
        process = cast(_Process, self.system.replicas[key])
        process.of, process.durable, process.born = like.of, like.durable, like.born
        process.status, process.promoted = like.status, like.promoted
        process.ranks = ranks

    def add_late(self, key: Replica) -> None:
        """A process that was added had joined its queue before, and entered the record (D1.2)."""
        self.system.replicas[key].joined = True
        self.system.enlisted.add(key)

    def add_dead(self, key: Replica, of: Queue) -> None:
        """Add a process that has ended, and was taken out of the record (D5.2)."""
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
