"""Scenarios on plain objects: a live system, and the frames its publisher has seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ackproof.spec.lang import Event, bound
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Level, Msg, Queue
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, Nack, Return


@dataclass
class Scenario:
    """A system of live objects; `frames` is what its channel has sent, in order."""

    system: Confirms
    frames: list[Event] = field(default_factory=list)

    def publish(
        self, msg: int, *queues: str, mandatory: bool = False, persistent: bool = True
    ) -> None:
        """Publish the next message, routed to these queues."""
        targets: set[Queue] = set(map(queue_named, queues))
        self.system.publish(message(msg), targets, mandatory, persistent)

    def deliver(self, msg: int, *queues: str) -> None:
        """Let the message arrive at these queues."""
        for name in queues:
            self.system.deliver(message(msg), queue_named(name))

    def stored(self, msg: int, *queues: str) -> None:
        """Let the message arrive at these queues, reach the disk, and be confirmed by them."""
        for name in queues:
            self.deliver(msg, name)
            self.system.sync(message(msg), queue_named(name))
            self.system.drain(queue_named(name))
            self.system.confirm_arrives(queue_named(name))

    def queue(self, name: str) -> QueueMaster:
        """Return the queue of that name."""
        return self.system.queues[queue_named(name)]

    def level(self, msg: int, name: str) -> Level:
        """Return how far a message has come in a queue."""
        return self.queue(name).store.level[message(msg)]

    def told(self) -> list[Event]:
        """Flush, and return what that sent."""
        before = len(self.frames)
        self.system.flush()
        return self.frames[before:]


def message(number: int) -> Msg:
    """Return the message with this sequence number."""
    element: object = number
    assert isinstance(element, int)
    return element  # type: ignore[return-value]


def messages(*numbers: int) -> set[Msg]:
    """Return the messages with these sequence numbers."""
    return set(map(message, numbers))


def queue_named(name: str) -> Queue:
    """Return the queue of this name."""
    element: object = name
    return element  # type: ignore[return-value]


def ack(tag: int, multiple: bool = False) -> Ack:
    """Return an ack frame."""
    return Ack(message(tag), multiple)


def nack(tag: int, multiple: bool = False) -> Nack:
    """Return a nack frame."""
    return Nack(message(tag), multiple)


def returned(tag: int | None) -> Return:
    """Return a return frame."""
    return Return(None if tag is None else message(tag))


@contextmanager
def running(msgs: int = 3, queues: Iterable[str] = ("q1", "q2")) -> Iterator[Scenario]:
    """Give a system in confirm mode; `frames` starts after the select-ok."""
    names = tuple(queues)
    frames: list[Event] = []

    def show(event: Event) -> None:
        frames.append(event)
        if isinstance(event, Ack):
            system.sees_ack(event)
        elif isinstance(event, Nack):
            system.sees_nack(event)
        elif isinstance(event, Return):
            system.sees_return(event)

    with bound({Msg: msgs, Queue: len(names)}):
        system = Confirms(emit=show, ghosts=True)
        for name in names:
            system.queues[queue_named(name)] = QueueMaster(emit=show, ghosts=True)
        system.select()
        frames.clear()
        yield Scenario(system, frames)
