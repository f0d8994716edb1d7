"""Scenarios on plain objects: a live system, and the frames its clients have seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ackproof.lang import Design, Event, Owned, bound
from ackproof.lang.process import constants_of
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import (
    Born,
    ChannelId,
    Consumer,
    Level,
    Msg,
    Node,
    Overflow,
    Queue,
    Replica,
    Tag,
)
from ackproof.spec.wire import Ack, Nack, Return

from tests.spec.built import CH1, FromChannel, built, channel_named


@dataclass
class Scenario:
    """A system of live objects as one channel sees it; `frames` is what all have sent, in order.

    Messages are given by their numbers on that channel.
    """

    system: FromChannel
    frames: list[Event] = field(default_factory=list)

    def on(self, number: int) -> Scenario:
        """Return the same system as another channel sees it."""
        return replace(self, system=FromChannel(self.system.whole, channel_named(number)))

    def message(self, number: int) -> Msg:
        """Return the channel's message with this sequence number."""
        return message(number) if len(ChannelId) == 1 else message_of(self.system.of, number)

    def messages(self, *numbers: int) -> set[Msg]:
        """Return the channel's messages with these sequence numbers."""
        return set(map(self.message, numbers))

    def publish(
        self, msg: int, *queues: str, mandatory: bool = False, persistent: bool = True
    ) -> None:
        """Publish the next message, routed to these queues."""
        targets: set[Queue] = set(map(queue_named, queues))
        self.system.publish(self.message(msg), targets, mandatory, persistent)

    def deliver(self, msg: int, *processes: str) -> None:
        """Let the message arrive at these processes: masters, or mirrors."""
        for name in processes:
            if self.process(name).mirrors():
                self.system.deliver_to_mirror(self.message(msg), replica(name))
            else:
                self.system.deliver(self.message(msg), replica(name))

    def told_of(self, *numbers: int) -> None:
        """Publish messages to `q1`; its master `r1` has them and has told its mirrors of them."""
        for number in numbers:
            self.publish(number, "q1")
            self.deliver(number, "r1")

    def told_by_master(self, msg: int, *mirrors: str) -> None:
        """Let these mirrors hear what their master did with a message."""
        for name in mirrors:
            self.system.master_tells(self.message(msg), replica(name))

    def synced(self, msg: int, *processes: str) -> None:
        """Let the message reach the disk of these processes, and their confirms the channel."""
        for name in processes:
            self.system.sync(self.message(msg), replica(name))
            self.system.drain(replica(name))
            self.system.confirm_arrives(replica(name))

    def stored(self, msg: int, *processes: str) -> None:
        """Let the message arrive at these processes, reach the disk, and be confirmed by them."""
        for name in processes:
            self.deliver(msg, name)
            self.synced(msg, name)

    def process(self, name: str) -> QueueProcess:
        """Return the process of that name."""
        process: QueueProcess = self.system.replicas[replica(name)]
        return process

    def level(self, msg: int, name: str) -> Level:
        """Return how far a message has come in the store of a process."""
        return self.process(name).store.level[self.message(msg)]

    def told(self) -> list[Event]:
        """Flush, and return what that sent."""
        before = len(self.frames)
        self.system.flush()
        return self.frames[before:]


def message(number: int) -> Msg:
    """Return the message with this sequence number."""
    element: Any = number
    return element  # type: ignore[no-any-return]


def message_of(channel: ChannelId, number: int) -> Msg:
    """Return the message with this sequence number, where there are several channels."""
    element: Any = Owned(channel, number)
    return cast(Msg, element)


def messages(*numbers: int) -> set[Msg]:
    """Return the messages with these sequence numbers."""
    return set(map(message, numbers))


def queue_named(name: str) -> Queue:
    """Return the queue of this name."""
    element: Any = name
    return element  # type: ignore[no-any-return]


def replica(name: str) -> Replica:
    """Return the process of this name."""
    element: Any = name
    return element  # type: ignore[no-any-return]


def replicas(*names: str) -> set[Replica]:
    """Return the processes of these names."""
    return set(map(replica, names))


def node(name: str) -> Node:
    """Return the node of this name."""
    element: Any = name
    return element  # type: ignore[no-any-return]


def ack(tag: int, multiple: bool = False) -> Ack:
    """Return an ack frame."""
    return Ack(CH1, message(tag), multiple)


def nack(tag: int, multiple: bool = False) -> Nack:
    """Return a nack frame."""
    return Nack(CH1, message(tag), multiple)


def returned(tag: int | None) -> Return:
    """Return a return frame."""
    return Return(CH1, None if tag is None else message(tag))


@contextmanager
def running(
    msgs: int = 3,
    queues: Iterable[str] = ("q1", "q2"),
    design: Design | None = None,
    channels: int = 1,
    **constants: Any,
) -> Iterator[Scenario]:
    """Give a system in confirm mode; each queue has one process: r1 is of the first queue.

    Args:
        msgs: how many messages each channel has.
        queues: the names of the queues.
        design: what is different from the base specification.
        channels: how many channels there are; the scenario is that of the first.
        constants: of the processes, or of the system.
    """
    names = tuple(queues)
    processes = {
        replica(f"r{number}"): {"of": queue_named(name)} for number, name in enumerate(names, 1)
    }
    sizes = {ChannelId: channels, Msg: msgs, Queue: len(names), Replica: len(names), Node: 0}
    with _live(sizes, processes, design, constants) as scenario:
        yield scenario


@contextmanager
def renewing(
    msgs: int = 2, design: Design | None = None, limited: bool = True
) -> Iterator[Scenario]:
    """Give a system in confirm mode with q1, and q2, which takes over its name.

    Args:
        msgs: how many messages there are.
        design: what is different from the base specification.
        limited: whether q2 refuses everything.
    """
    first = {"of": queue_named("q1"), "after": None}
    second = {
        "of": queue_named("q2"),
        "after": queue_named("q1"),
        "limited": limited,
        "max_length": 0,
        "overflow": Overflow.REJECT_PUBLISH,
    }
    sizes = {ChannelId: 1, Msg: msgs, Queue: 2, Replica: 2, Node: 0}
    processes = {replica("r1"): first, replica("r2"): second}
    with _live(sizes, processes, design, {}) as scenario:
        yield scenario


@contextmanager
def mirrored(
    born: Iterable[Born] = (Born.MASTER, Born.MIRROR),
    msgs: int = 3,
    nodes: bool = False,
    design: Design | None = None,
    channels: int = 1,
    **constants: Any,
) -> Iterator[Scenario]:
    """Give a system in confirm mode with one queue, q1, of several processes: r1, r2, and so on.

    Args:
        born: what each process is at first.
        msgs: how many messages each channel has.
        nodes: whether each process has a node: n1, n2, and so on.  The channels are on the last.
        design: what is different from the base specification.
        channels: how many channels there are; the scenario is that of the first.
        constants: of the processes, or of the system.
    """
    roles = tuple(born)
    processes: dict[Replica, dict[str, Any]] = {
        replica(f"r{number}"): {
            "of": queue_named("q1"),
            "born": role,
            "node": node(f"n{number}") if nodes else None,
        }
        for number, role in enumerate(roles, 1)
    }
    count = len(roles)
    if nodes:
        constants = {"home": node(f"n{count}"), **constants}
    sizes = {ChannelId: channels, Msg: msgs, Queue: 1, Replica: count, Node: count if nodes else 0}
    with _live(sizes, processes, design, constants) as scenario:
        yield scenario


@contextmanager
def _live(
    sizes: Mapping[Any, int],
    processes: Mapping[Replica, Mapping[str, Any]],
    design: Design | None,
    constants: Mapping[str, Any],
) -> Iterator[Scenario]:
    """Give a system in confirm mode; `frames` starts after the select-oks."""
    known = constants_of(QueueProcess)
    shared = {name: value for name, value in constants.items() if name in known}
    own = {name: value for name, value in constants.items() if name not in known}
    given = {"replicas": {key: {**each, **shared} for key, each in processes.items()}}
    with bound({Consumer: 0, Tag: 1, **sizes}):
        system, frames = built(design.replace if design is not None else (), own, given)
        for channel in ChannelId:
            system.select(channel)
        frames.clear()
        yield Scenario(FromChannel(system, CH1), frames)
