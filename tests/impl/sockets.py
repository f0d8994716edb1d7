"""Help for tests over real sockets: a bare client, a publisher on pika, and a disk with a gate."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pika
from ackproof.impl.running import RunningBroker
from ackproof.impl.server.committer import QUICK
from ackproof.impl.storage.batch_commit import Storage
from ackproof.impl.storage.journal import Batch
from pamqp import commands, frame

from tests.impl.clients import HEADER, encode, heard

__all__ = ["Bare", "GatedDisk", "PikaPublisher", "blocking", "eventually", "publisher"]

_PATIENCE = 60.0


def eventually(condition: Callable[[], bool]) -> None:
    """Wait until something is true, and fail if it does not become so."""
    done = threading.Event()
    for _ in range(int(_PATIENCE * 100)):
        if condition():
            return
        done.wait(0.01)
    raise AssertionError(f"not within {_PATIENCE:g} s")


class GatedDisk:
    """A disk that commits only while its gate is open, and never very fast.

    What a fast disk commits is committed at once, by the thread that serves all: it would be that
    which waits at the gate.
    """

    def __init__(self, disk: Storage) -> None:
        self._disk = disk
        self.gate = threading.Event()
        self.gate.set()

    def commit(self, batch: Batch) -> None:
        """Wait at the gate, then commit."""
        assert self.gate.wait(_PATIENCE), "the test forgot to open the gate"
        time.sleep(2 * QUICK)
        self._disk.commit(batch)


@contextmanager
def blocking(port: int) -> Iterator[Any]:
    """Connect with pika's blocking connection; give a channel."""
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
    try:
        yield connection.channel()
    finally:
        if connection.is_open:
            connection.close()


class PikaPublisher:
    """Publishes persistent messages with pika in confirm mode, without waiting between them.

    Attributes:
        sent: how many messages were given to pika.
        acked: tags that an ack covered.
        nacked: tags that a nack covered.
        frames: acks and nacks that came.
        reused: tags that were settled a second time.
    """

    def __init__(self, port: int) -> None:
        self.sent = 0
        self.acked: set[int] = set()
        self.nacked: set[int] = set()
        self.reused: list[int] = []
        self.frames = 0
        self._open = 1
        self._ready = threading.Event()
        self._channel: Any = None
        self._connection = pika.SelectConnection(
            pika.ConnectionParameters("127.0.0.1", port), on_open_callback=self._opened
        )
        self._thread = threading.Thread(target=self._connection.ioloop.start)
        self._thread.start()
        assert self._ready.wait(_PATIENCE)

    def _opened(self, connection: Any) -> None:
        connection.add_on_close_callback(lambda *_: connection.ioloop.stop())
        connection.channel(on_open_callback=self._channel_open)

    def _channel_open(self, channel: Any) -> None:
        self._channel = channel
        channel.confirm_delivery(self._told, lambda _: self._ready.set())

    def publish(self, queue: str, text: bytes, count: int, mandatory: bool = False) -> None:
        """Publish a message that many times, as fast as pika does."""
        properties = pika.BasicProperties(delivery_mode=2)

        def send() -> None:
            for _ in range(count):
                self._channel.basic_publish("", queue, text, properties, mandatory)
                self.sent += 1

        before = self.sent
        self._connection.ioloop.add_callback_threadsafe(send)
        eventually(lambda: self.sent == before + count)

    def _told(self, told: Any) -> None:
        self.frames += 1
        tag = told.method.delivery_tag
        new = {tag}
        if told.method.multiple:
            new = set(range(self._open, tag + 1)) - self.acked - self.nacked
            self._open = tag + 1
        if tag in self.acked or tag in self.nacked:
            self.reused.append(tag)
        settled = self.acked if isinstance(told.method, pika.spec.Basic.Ack) else self.nacked
        settled |= new

    def wait(self) -> None:
        """Wait until everything that was sent is settled, though it be twice."""
        eventually(lambda: len(self.acked | self.nacked) == self.sent)

    def close(self) -> None:
        """Close the connection."""
        self._connection.ioloop.add_callback_threadsafe(self._connection.close)
        self._thread.join(_PATIENCE)
        assert not self._thread.is_alive()


class Bare:
    """A socket that speaks AMQP by hand, and may stop doing so."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(data)

    def opened(self, heartbeat: int = 0) -> Bare:
        """Open the connection and channel 1, in confirm mode."""
        start_ok = commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US")
        for data in (
            HEADER,
            encode(0, start_ok),
            encode(0, commands.Connection.TuneOk(2047, 131072, heartbeat), _OPEN),
            encode(1, commands.Channel.Open()),
            encode(1, commands.Confirm.Select()),
        ):
            self.send(data)
            self.line()
        return self

    def line(self) -> str:
        """Return the next thing the broker says; empty if it has closed the connection."""
        data = self.frame()
        return heard(data)[0] if data else ""

    def frame(self) -> bytes:
        """Return the bytes of the next frame; none if the broker has closed the connection."""
        start = self._exactly(7)
        if not start:
            return b""
        size = 1 if start.startswith(b"AMQP") else int.from_bytes(start[3:7], "big") + 1
        return start + self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                return b""
            data += more
        return data

    def rest(self) -> list[str]:
        """Return everything the broker says until it closes the connection."""
        return list(iter(self.line, ""))

    def close(self) -> None:
        """Close the socket, without a word."""
        self.socket.close()


_OPEN: frame.FrameTypes = commands.Connection.Open()


def publisher(broker: RunningBroker) -> Bare:
    """Return a client in confirm mode that wants to know when it is blocked, with a queue."""
    client = Bare(broker.port)
    knows = {"capabilities": {"connection.blocked": True}}
    opening = (
        commands.Connection.StartOk(knows, "PLAIN", "\0guest\0guest", "en_US"),
        commands.Connection.TuneOk(2047, 131072, 0),
        commands.Connection.Open(),
    )
    client.send(HEADER + encode(0, *opening))
    declare = commands.Queue.Declare(queue="q", durable=True)
    client.send(encode(1, commands.Channel.Open(), commands.Confirm.Select(), declare))
    while not client.line().startswith("1 Queue.DeclareOk"):
        pass
    return client
