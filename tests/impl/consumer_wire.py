"""A client that consumes, without sockets: deliveries written down as one line each.

    >>> wire = ConsumerWire().opened().with_queue("q")
    >>> wire.consume("q", "c")
    ['1 Basic.ConsumeOk c']
    >>> wire.publish(1, "q", b"hello")
    ['1 deliver c 1 hello']

`1 deliver c 3 hello again` says that the message is redelivered, `1 get-ok 1 hello +2` that two
more are ready.
"""

from __future__ import annotations

import re

from ackproof.impl.broker import Broker
from ackproof.impl.storage.disk import Disk
from pamqp import commands

from tests.impl.clients import Wire

__all__ = ["ConsumerWire", "joined"]

_HEADER = re.compile(r"\d+ header (\d+)$")


def joined(lines: list[str]) -> list[str]:
    """Return what a broker said, with each delivery and its content in one line."""
    told: list[str] = []
    rest = list(lines)
    while rest:
        line = rest.pop(0)
        if "{}" in line:
            size = _HEADER.match(rest.pop(0))
            assert size is not None
            text = rest.pop(0).split(" body b'")[1][:-1] if int(size[1]) else ""
            line = line.replace("{}", text)
        told.append(line)
    return told


class ConsumerWire(Wire):
    """One session of a broker, with words for what consumers do."""

    def __init__(self, broker: Broker | None = None, *, wants_cancels: bool = True) -> None:
        super().__init__(broker)
        self._wants_cancels = wants_cancels

    def hear(self) -> list[str]:
        """Return what the broker has to say by now."""
        return joined(super().hear())

    def opened(
        self, *channels: int, frame_max: int = 131072, channel_max: int = 2047
    ) -> ConsumerWire:
        """Open the connection, and channel 1 or these channels."""
        super().opened(*channels, frame_max=frame_max, channel_max=channel_max)
        if self._wants_cancels:
            self.session.capabilities = frozenset({"consumer_cancel_notify"})
        return self

    def with_queue(self, name: str, *, durable: bool = True) -> ConsumerWire:
        """Declare a queue, and wait until the disk knows of it."""
        super().with_queue(name, durable=durable)
        return self

    def confirming(self, *channels: int) -> ConsumerWire:
        """Ask for confirm mode, on channel 1 or on these channels."""
        super().confirming(*channels)
        return self

    def holding(self, queue: str, *texts: str, persistent: bool = True) -> ConsumerWire:
        """Publish messages to a queue."""
        for text in texts:
            self.publish(1, queue, text.encode(), persistent=persistent)
        return self

    def consume(
        self,
        queue: str,
        tag: str = "",
        *,
        channel: int = 1,
        no_ack: bool = False,
        exclusive: bool = False,
        nowait: bool = False,
        priority: object = None,
    ) -> list[str]:
        """Start a consumer; return what the broker says to that."""
        arguments = {} if priority is None else {"x-priority": priority}
        return self.say(
            channel,
            commands.Basic.Consume(
                queue=queue,
                consumer_tag=tag,
                no_ack=no_ack,
                exclusive=exclusive,
                nowait=nowait,
                arguments=arguments,  # type: ignore[arg-type]
            ),
        )

    def qos(self, count: int, *, shared: bool = False, channel: int = 1) -> list[str]:
        """Set a limit; return what the broker says to that."""
        return self.say(channel, commands.Basic.Qos(0, count, shared))

    def get(self, queue: str, *, channel: int = 1, no_ack: bool = False) -> list[str]:
        """Ask for one message; return what the broker says to that."""
        return self.say(channel, commands.Basic.Get(queue=queue, no_ack=no_ack))

    def ack(self, tag: int, *, multiple: bool = False, channel: int = 1) -> list[str]:
        """Acknowledge; return what the broker says to that."""
        return self.say(channel, commands.Basic.Ack(tag, multiple))

    def nack(
        self, tag: int, *, multiple: bool = False, requeue: bool = True, channel: int = 1
    ) -> list[str]:
        """Reject one delivery or several; return what the broker says to that."""
        return self.say(channel, commands.Basic.Nack(tag, multiple, requeue))

    def ready(self, queue: str) -> int:
        """Return how many messages are ready in a queue."""
        return len(self.broker.queues[queue].machine.ready)


def commit(wire: ConsumerWire, disk: Disk) -> None:
    """Have everything on the disk that is to be there, and the broker know that."""
    while wire.broker.journal.pending:
        batch = wire.broker.journal.take()
        disk.commit(batch)
        wire.broker.committed(batch)
    wire.hear()
