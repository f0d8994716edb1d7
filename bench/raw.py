"""A client that is not what is measured.

Its frames are marshalled beforehand, what it reads it looks at no more than it must, and it has no
threads.  All messages are alike, so a delivery has always the same length: how many came is a
matter of division, and only the last tag is read.
"""

from __future__ import annotations

import socket
import struct
import time
from types import TracebackType

from pamqp import base, body, commands, frame, header

from bench.process import Failed

__all__ = ["RawClient"]

_ACK = struct.Struct(">BHIHHQB")
_ACK_INDEX = (60, 80)
_CHUNK = 1 << 18
_SECONDS = 60.0


class RawClient:
    """A connection with one channel.

    Args:
        port: of a broker on the loopback interface.
        size: bytes of a message's body.

    Raises:
        Failed: the broker does not answer as it should.
    """

    def __init__(self, port: int, *, size: int = 1024) -> None:
        self._size = size
        self._rest = b""
        self._socket = socket.create_connection(("127.0.0.1", port), _SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(b"AMQP\x00\x00\x09\x01")
        self._await("Connection.Start")
        self._send(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
        self._await("Connection.Tune")
        self._send(0, commands.Connection.TuneOk(2047, 131072, 0))
        self.call("Connection.OpenOk", commands.Connection.Open(), channel=0)
        self.call("Channel.OpenOk", commands.Channel.Open())

    def __enter__(self) -> RawClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    # -- methods --------------------------------------------------------------------------------

    def call(self, reply: str, method: base.Frame, channel: int = 1) -> None:
        """Call a method, and wait for its reply.

        Raises:
            Failed: something else came.
        """
        self._send(channel, method)
        self._await(reply)

    def declare(self, queue: str, *, durable: bool = True) -> None:
        """Declare a queue."""
        self.call("Queue.DeclareOk", commands.Queue.Declare(queue=queue, durable=durable))

    def _send(self, channel: int, method: base.Frame) -> None:
        self._socket.sendall(frame.marshal(method, channel))

    def _await(self, name: str) -> None:
        while len(self._rest) < 7 or len(self._rest) < _length(self._rest):
            self._read()
        _, _, came = frame.unmarshal(self._rest)
        if came.name != name:
            raise Failed(f"the broker sent {came} instead of {name}")
        self._rest = self._rest[_length(self._rest) :]

    def _read(self) -> None:
        data = self._socket.recv(_CHUNK)
        if not data:
            raise Failed("the broker has closed the connection")
        self._rest += data

    # -- what is measured -----------------------------------------------------------------------

    def publish(
        self, queue: str, messages: int, window: int, *, persistent: bool, exchange: str = ""
    ) -> float:
        """Publish with so many unconfirmed at most; return confirmed messages per second.

        Raises:
            Failed: the broker sends anything but acks.
        """
        one = self._message(queue, persistent, exchange)
        sent = acked = 0
        start = time.perf_counter()
        while acked < messages:
            more = min(window - (sent - acked), messages - sent)
            if more > 0:
                self._socket.sendall(one * more)
                sent += more
            acked = self._confirmed(acked)
        return messages / (time.perf_counter() - start)

    def _message(self, queue: str, persistent: bool, exchange: str) -> bytes:
        properties = commands.Basic.Properties(delivery_mode=2 if persistent else 1)
        parts = (
            commands.Basic.Publish(exchange=exchange, routing_key=queue),
            header.ContentHeader(0, self._size, properties),
            body.ContentBody(bytes(self._size)),
        )
        return b"".join(frame.marshal(part, 1) for part in parts)

    def _confirmed(self, acked: int) -> int:
        """Read some acks; return how many messages are acked in all (acks come in order)."""
        self._read()
        step = _ACK.size + 1
        whole = len(self._rest) - len(self._rest) % step
        for at in range(0, whole, step):
            _, _, _, *index, tag, multiple = _ACK.unpack_from(self._rest, at)
            if tuple(index) != _ACK_INDEX:
                raise Failed(f"the broker sent method {index} instead of an ack")
            acked = tag if multiple else acked + 1
        self._rest = self._rest[whole:]
        return int(acked)

    def consume(self, queue: str, messages: int, prefetch: int, every: int) -> float:
        """Consume so many messages that are there already; return how many per second.

        Args:
            queue: where they are.
            messages: how many.
            prefetch: unacknowledged at most.
            every: messages that an ack is for; 1 acknowledges each of them by itself.

        Raises:
            Failed: the broker sends something else.
        """
        self.call("Basic.QosOk", commands.Basic.Qos(prefetch_count=prefetch))
        start = time.perf_counter()
        self.call("Basic.ConsumeOk", commands.Basic.Consume(queue=queue, consumer_tag="bench"))
        length = self._delivery_length()
        got = acked = 0
        while got < messages:
            while len(self._rest) < length:
                self._read()
            came = len(self._rest) // length
            got += came
            self._check(self._rest[(came - 1) * length :], got)
            self._rest = self._rest[came * length :]
            due = [*range(acked + every, got + 1, every)]
            if got == messages and got % every:
                due.append(got)
            if due:
                acks = (frame.marshal(commands.Basic.Ack(tag, every > 1), 1) for tag in due)
                self._socket.sendall(b"".join(acks))
                acked = due[-1]
        return messages / (time.perf_counter() - start)

    def _delivery_length(self) -> int:
        """Return the bytes of a delivery, which has a method, a header and a body frame."""
        length = 0
        for _ in range(3):
            while len(self._rest) < length + 7:
                self._read()
            length += _length(self._rest[length:])
        return length

    def _check(self, delivery: bytes, tag: int) -> None:
        came = frame.unmarshal(delivery)[2]
        if not isinstance(came, commands.Basic.Deliver) or came.delivery_tag != tag:
            raise Failed(f"the broker sent {came} instead of delivery {tag}")


def _length(data: bytes) -> int:
    """Return the bytes of the frame that begins here."""
    return 8 + int.from_bytes(data[3:7], "big")
