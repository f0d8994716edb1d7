"""The same conversation with this broker and with a real one.

A *scenario* is a function that opens clients and lets them speak.  It is run twice.  With this
broker, which answers at once and completely, it shows how many frames each step is answered by;
with the other broker, which takes its time, each step waits for as many.  What each of them said is
compared line by line.  At the end every client asks for one thing more, so that what was said
beyond that is heard as well.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol

from ackproof.impl.broker import Broker
from pamqp import base, commands, frame

from tests.impl.clients import HEADER, encode, heard
from tests.impl.consumer_wire import ConsumerWire, joined

__all__ = ["Client", "Scenario", "Side", "named", "of_the_other", "of_this_broker"]

#: Seconds that a broker may take to say what it has to say.
_PATIENCE = 5.0
#: Seconds in which a broker would say what it should not.
_SILENCE = 0.1
_LAST_CHANNEL = 99
_GENERATED = re.compile(r"amq\.(ctag|gen)-\S+")


class Client(Protocol):
    """Who speaks on one connection."""

    def say(self, channel: int, *frames: frame.FrameTypes) -> list[str]:
        """Send frames; return what the broker says to that."""

    def hear(self) -> list[str]:
        """Return what the broker says that others have caused."""


class Side(Protocol):
    """A broker to which clients can be opened."""

    def open(self, *channels: int) -> Client:
        """Open a connection with these channels."""


#: Speaks, and returns what was heard.
Scenario = Callable[[Side], list[str]]


def named(lines: list[str]) -> list[str]:
    """Return lines without the names that the broker has chosen."""
    return [_GENERATED.sub(r"amq.\1-…", line) for line in lines]


# -- this broker ----------------------------------------------------------------------------------


class _OurClient:
    def __init__(self, wire: ConsumerWire, counts: list[int]) -> None:
        self._wire = wire
        self._counts = counts

    def say(self, channel: int, *frames: frame.FrameTypes) -> list[str]:
        return self._counted(self._wire.say(channel, *frames))

    def hear(self) -> list[str]:
        return self._counted(self._wire.hear())

    def _counted(self, lines: list[str]) -> list[str]:
        self._counts.append(len(lines))
        return named(lines)


class _Ours:
    def __init__(self) -> None:
        self.counts: list[int] = []
        self.clients: list[_OurClient] = []
        self._broker = Broker()

    def open(self, *channels: int) -> Client:
        client = _OurClient(ConsumerWire(self._broker).opened(*channels), self.counts)
        self.clients.append(client)
        return client


def of_this_broker(scenario: Scenario) -> tuple[list[str], list[int]]:
    """Return what this broker says in a scenario, and how many lines to each step."""
    side = _Ours()
    told = scenario(side)
    for client in side.clients:
        told += client.hear()
    return told, side.counts


# -- the other one --------------------------------------------------------------------------------


class _TheirClient:
    def __init__(self, port: int, counts: list[int], channels: tuple[int, ...]) -> None:
        self._counts = counts
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._bytes = b""
        self._over = False
        self._socket.sendall(HEADER)
        self._await(1)
        able: Any = {"capabilities": {"consumer_cancel_notify": True, "basic.nack": True}}
        self._call(0, commands.Connection.StartOk(able, "PLAIN", "\0guest\0guest", "en_US"))
        self._socket.sendall(encode(0, commands.Connection.TuneOk(2047, 131072, 0)))
        self._call(0, commands.Connection.Open())
        for channel in channels:
            self._call(channel, commands.Channel.Open())

    def say(self, channel: int, *frames: frame.FrameTypes) -> list[str]:
        self._socket.sendall(encode(channel, *frames))
        return self.hear()

    def hear(self) -> list[str]:
        lines = named(self._await(self._counts.pop(0)))
        self._over |= any(line.startswith("0 Connection.Close") for line in lines)
        return lines

    def rest(self) -> list[str]:
        """Return what nobody has asked for."""
        count = self._counts.pop(0)
        if self._over:
            return []
        self._socket.sendall(encode(_LAST_CHANNEL, commands.Channel.Open()))
        lines = self._await(count + 1)
        return named([line for line in lines if not line.startswith(f"{_LAST_CHANNEL} ")])

    def hang_up(self) -> None:
        """Leave without a word."""
        self._socket.close()

    def _call(self, channel: int, method: base.Frame) -> list[str]:
        self._socket.sendall(encode(channel, method))
        return self._await(1)

    def _await(self, count: int) -> list[str]:
        """Wait until there are so many lines, or for as long as patience lasts."""
        deadline = time.monotonic() + _PATIENCE
        lines, rest = self._lines()
        while len(lines) < count and time.monotonic() < deadline:
            self._socket.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                received = self._socket.recv(65536)
            except TimeoutError:
                break
            if not received:
                break
            self._bytes += received
            lines, rest = self._lines()
        self._bytes = rest
        return lines

    def _lines(self) -> tuple[list[str], bytes]:
        """Return the lines that have come in entirely, and the bytes after them."""
        data, end = self._bytes, 0
        complete = 0
        missing = False
        while (size := _frame_size(data[end:])) and len(data) >= end + size:
            one = frame.unmarshal(data[end : end + size])[2]
            end += size
            missing = _wants_more(one, missing)
            if not missing:
                complete = end
        return joined(heard(data[:complete])), data[complete:]


def _frame_size(data: bytes) -> int:
    return int.from_bytes(data[3:7], "big") + 8 if len(data) >= 7 else 0


def _wants_more(one: frame.FrameTypes, missing: bool) -> bool:
    """Tell whether a content is not complete after this frame; bodies are one frame here."""
    if isinstance(one, commands.Basic.Deliver | commands.Basic.GetOk | commands.Basic.Return):
        return True
    return missing and one.name == "ContentHeader" and bool(getattr(one, "body_size", 0))


class _Theirs:
    def __init__(self, port: int, counts: list[int]) -> None:
        self._port = port
        self._counts = list(counts)
        self.clients: list[_TheirClient] = []

    def open(self, *channels: int) -> Client:
        client = _TheirClient(self._port, self._counts, channels)
        self.clients.append(client)
        return client


def of_the_other(scenario: Scenario, port: int, counts: list[int]) -> list[str]:
    """Return what the broker on this port says in a scenario.

    Args:
        scenario: what is said.
        port: on the loopback interface.
        counts: how many lines to wait for, step by step.
    """
    side = _Theirs(port, counts)
    told = scenario(side)
    time.sleep(_SILENCE)
    for client in side.clients:
        told += client.rest()
    for client in side.clients:
        client.hang_up()
    return told
