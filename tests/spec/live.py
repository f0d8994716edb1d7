"""A live system with consumers, seen from its only channel, and the frames that are kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from ackproof.lang import Event, bound
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Node, Queue, Replica, Tag

from tests.spec.built import CH1, FromChannel, built


@dataclass
class Live:
    """A system, and what its clients have seen and said, in order."""

    system: FromChannel
    frames: list[Event] = field(default_factory=list)

    def queue(self, number: int = 1) -> Any:
        """Return the only process of a queue."""
        return self.system.replicas[replica(number)]

    def publish(self, number: int, *queues: int, persistent: bool = False) -> None:
        """Publish a message in a transaction or in confirm mode."""
        targets = {queue_named(q) for q in queues}
        if self.system.channel.confirming:
            self.system.publish(message(number), targets, False, persistent)
        else:
            self.system.publish_in_tx(message(number), targets, True, persistent)

    def stored(self, *numbers: int) -> None:
        """Publish these messages to the first queue, and let them arrive there."""
        for number in numbers:
            self.publish(number, 1)
            self.system.deliver(message(number), replica(1))

    def hand_out(self, number: int, consumer: int = 1) -> None:
        """Hand a message of the first queue to a consumer."""
        self.system.hand_out(message(number), replica(1), consumer_named(consumer))

    def told(self) -> list[Event]:
        """Return the frames since the last time, and forget them."""
        frames, self.frames[:] = list(self.frames), []
        return frames


def message(number: int) -> Msg:
    """Return the message with this number."""
    return cast(Msg, number)


def messages(*numbers: int) -> set[Msg]:
    """Return the messages with these numbers."""
    return set(map(message, numbers))


def tag(number: int) -> Tag:
    """Return a delivery tag."""
    return cast(Tag, number)


def replica(number: int) -> Replica:
    """Return a process."""
    return cast(Replica, f"r{number}")


def queue_named(number: int) -> Queue:
    """Return the queue whose only process has the same number."""
    return cast(Queue, f"q{number}")


def consumer_named(number: int) -> Consumer:
    """Return a consumer."""
    return cast(Consumer, number)


@contextmanager
def live(
    *,
    queues: int = 1,
    limits: tuple[int, ...] = (0,),
    no_ack: tuple[int, ...] = (),
    **constants: Any,
) -> Iterator[Live]:
    """Give a system with queues of one process each, and a started consumer for each limit."""
    sizes = {Msg: 3, Tag: 4, Queue: queues, Replica: queues, Consumer: len(limits), Node: 0}
    given: dict[str, dict[Any, dict[str, Any]]] = {
        "replicas": {
            replica(number): {"of": queue_named(number), "marking": True}
            for number in range(1, queues + 1)
        },
        "subscriptions": {
            consumer_named(number): {
                "of": queue_named(1),
                "prefetch": limit,
                "no_ack": number in no_ack,
            }
            for number, limit in enumerate(limits, start=1)
        },
    }
    with bound({ChannelId: 1, **sizes}):
        system, frames = built((), {"tagged": True, "consumers": False, **constants}, given)
        for consumer in Consumer:
            system.consume(consumer, replica(1))
        yield Live(FromChannel(system, CH1), frames)
