"""A client for the tests, without sockets: frames in, frames out, written down as short lines.

    >>> wire = Wire().opened()
    >>> wire.say(1, commands.Confirm.Select())
    ['1 Confirm.SelectOk']
    >>> wire.publish(1, "nowhere")
    ['1 ack 1']

What the broker says is one line for each frame: the channel, then the method, and of what it says
the part that tests are about.  `1 ack 5*` is an ack of tag 5 with `multiple`.
"""

from __future__ import annotations

from typing import Any

from ackproof.impl.broker import Broker
from ackproof.impl.session.session import Session
from pamqp import base, body, commands, frame, header
from pamqp.heartbeat import Heartbeat

__all__ = ["HEADER", "Wire", "content", "encode", "heard"]

HEADER = b"AMQP\x00\x00\x09\x01"


def encode(channel: int, *frames: frame.FrameTypes) -> bytes:
    """Return the bytes of frames on one channel."""
    return b"".join(frame.marshal(one, channel) for one in frames)


def content(
    queue: str,
    text: bytes = b"hello",
    *,
    mandatory: bool = False,
    persistent: bool = True,
    exchange: str = "",
    headers: dict[str, object] | None = None,
) -> tuple[frame.FrameTypes, ...]:
    """Return the frames of a publish."""
    properties = commands.Basic.Properties(
        delivery_mode=2 if persistent else 1,
        headers=headers,  # type: ignore[arg-type]
    )
    publish = commands.Basic.Publish(exchange=exchange, routing_key=queue, mandatory=mandatory)
    pieces = [body.ContentBody(text)] if text else []
    return (publish, header.ContentHeader(0, len(text), properties), *pieces)


def heard(data: bytes) -> list[str]:
    """Return what the broker said, a line for each frame."""
    lines = []
    while data:
        if data[:4] == b"AMQP":
            lines.append("protocol header")
            data = data[8:]
            continue
        size, channel, one = frame.unmarshal(data)
        lines.append(f"{channel} {_line(one)}")
        data = data[size:]
    return lines


def _line(one: frame.FrameTypes) -> str:
    if isinstance(one, commands.Basic.Ack | commands.Basic.Nack):
        kind = "ack" if isinstance(one, commands.Basic.Ack) else "nack"
        return f"{kind} {one.delivery_tag}{'*' if one.multiple else ''}"
    if isinstance(one, commands.Basic.Deliver | commands.Basic.GetOk):
        return _delivery(one)
    if isinstance(one, commands.Basic.ConsumeOk | commands.Basic.CancelOk | commands.Basic.Cancel):
        return f"{one.name} {one.consumer_tag}"
    if isinstance(one, commands.Connection.Close | commands.Channel.Close):
        return f"{one.name} {one.reply_code} {one.reply_text}"
    if isinstance(one, commands.Basic.Return):
        return f"return {one.reply_code} {one.routing_key}"
    if isinstance(one, commands.Queue.DeclareOk):
        return f"{one.name} {one.queue} {one.message_count}"
    if isinstance(one, body.ContentBody):
        return f"body {one.value!r}"
    if isinstance(one, header.ContentHeader):
        return f"header {one.body_size}"
    if isinstance(one, Heartbeat):
        return "heartbeat"
    assert isinstance(one, base.Frame)
    return one.name


def _delivery(one: commands.Basic.Deliver | commands.Basic.GetOk) -> str:
    """Return a delivery, with braces in the place of the content that follows it."""
    again = " again" if one.redelivered else ""
    if isinstance(one, commands.Basic.Deliver):
        return f"deliver {one.consumer_tag} {one.delivery_tag} {{}}{again}"
    return f"get-ok {one.delivery_tag} {{}}{again} +{one.message_count}"


class Wire:
    """One session of a broker, and a disk that commits when the test says so.

    Args:
        broker: one that there is already.
        options: of the session.
    """

    def __init__(self, broker: Broker | None = None, **options: Any) -> None:
        self.broker = broker or Broker()
        self.session = Session(self.broker, **options)

    def receive(self, data: bytes) -> list[str]:
        """Send bytes; return what the broker says to that."""
        self.session.receive(data)
        return self.hear()

    def say(self, channel: int, *frames: frame.FrameTypes) -> list[str]:
        """Send frames; return what the broker says to that."""
        return self.receive(encode(channel, *frames))

    def publish(
        self,
        channel: int,
        queue: str,
        text: bytes = b"hello",
        *,
        mandatory: bool = False,
        persistent: bool = True,
    ) -> list[str]:
        """Publish a message; return what the broker says to that."""
        frames = content(queue, text, mandatory=mandatory, persistent=persistent)
        return self.say(channel, *frames)

    def hear(self) -> list[str]:
        """Return what the broker has to say by now."""
        self.broker.run(idle=True)
        return heard(self.session.take_output())

    def commit(self) -> list[str]:
        """Let the disk do its work; return what the broker says when it has."""
        while self.broker.journal.pending:
            self.broker.committed(self.broker.journal.take())
        return self.hear()

    def opened(self, *channels: int, frame_max: int = 131072, channel_max: int = 2047) -> Wire:
        """Open the connection, and channel 1 or these channels."""
        self.receive(HEADER)
        self.say(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
        self.say(0, commands.Connection.TuneOk(channel_max, frame_max, 0))
        assert self.say(0, commands.Connection.Open()) == ["0 Connection.OpenOk"]
        for channel in channels or (1,):
            assert self.say(channel, commands.Channel.Open()) == [f"{channel} Channel.OpenOk"]
        return self

    def confirming(self, *channels: int) -> Wire:
        """Ask for confirm mode, on channel 1 or on these channels."""
        for channel in channels or (1,):
            assert self.say(channel, commands.Confirm.Select()) == [f"{channel} Confirm.SelectOk"]
        return self

    def with_queue(self, name: str, *, durable: bool = True) -> Wire:
        """Declare a queue, and wait until the disk knows of it."""
        self.say(1, commands.Queue.Declare(queue=name, durable=durable))
        self.commit()
        assert name in self.broker.queues
        return self
