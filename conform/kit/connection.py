"""A connection of the kit: it says many things at once, and hears what comes, when it comes.

What is said is kept until it is sent, so that a broker gets it in one piece: faults of real brokers
hide in what is sent without waiting.  All bytes of either direction are decoded to events as a
recording proxy does it: those of the client before they are sent, those of the broker as they come.

Channel 0 is handled here: the login, heartbeats, and the end.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Iterable
from typing import Any

from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event
from ackproof.conform.kit.url import Address
from ackproof.impl.errors import HardError
from ackproof.impl.wire.decoding import decode_method
from ackproof.impl.wire.frames import (
    FRAME_MAX,
    METHOD,
    PROTOCOL_HEADER,
    FrameReader,
    encode_method,
)
from pamqp import base, commands

__all__ = ["Connection", "ConnectionBroken", "readable"]

_CHUNK = 1 << 16
_FRAME_MOST = 1 << 30
_CAPABILITIES = {
    "publisher_confirms": True,
    "basic.nack": True,
    "consumer_cancel_notify": True,
    "connection.blocked": True,
}


class ConnectionBroken(Exception):
    """There is no connection any more, or none to begin with; the text says why."""


class Connection:
    """One connection to a broker.

    Args:
        address: where the broker is.
        name: what events call the connection.
        key: key of the digests.
        note: is told of each event, of the client and of the broker.
        hear: is told of each event of the broker, after that.
        patience: seconds that the broker may take for an answer.

    Attributes:
        name: the same.
        closed: reply code and text with which the broker has closed it.
        broken: nothing can be said any more.
        blocked: the broker does not read what is published.

    Raises:
        ConnectionBroken: the broker cannot be reached, or does not let the client in.
    """

    def __init__(
        self,
        address: Address,
        name: str,
        key: bytes,
        note: Callable[[Event], None],
        hear: Callable[[Event], None],
        patience: float,
    ) -> None:
        self.name = name
        self.closed: tuple[int, str] | None = None
        self.broken = self.blocked = False
        self._note = note
        self._hear = hear
        self._decoder = ConnectionDecoder(name, key)
        self._reader = FrameReader(_FRAME_MOST)
        self._methods: list[base.Frame] = []
        self._waiting: list[bytes] = []
        try:
            self.socket = socket.create_connection((address.host, address.port), timeout=patience)
        except OSError as error:
            raise ConnectionBroken(f"no connection to {address}: {error}") from None
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._log_in(address)
        except ConnectionBroken:
            self.drop()
            raise

    # -- the login ----------------------------------------------------------------------------

    def _log_in(self, address: Address) -> None:
        self.say(PROTOCOL_HEADER)
        self._expect(commands.Connection.Start, address)
        login = f"\0{address.user}\0{address.password}"
        properties: dict[str, Any] = {"product": "ackproof", "capabilities": _CAPABILITIES}
        self._tell(commands.Connection.StartOk(properties, "PLAIN", login, "en_US"))
        tune = self._expect(commands.Connection.Tune, address)
        most = min(tune.frame_max or FRAME_MAX, FRAME_MAX)
        self._tell(commands.Connection.TuneOk(tune.channel_max, most, 0))
        self._tell(commands.Connection.Open(virtual_host=address.vhost))
        self._expect(commands.Connection.OpenOk, address)

    def _tell(self, method: base.Frame) -> None:
        self.say(encode_method(method, 0))

    def _expect(self, wanted: type[base.Frame], address: Address) -> Any:
        self.send()
        while not self._methods:
            self.read()
            if self.broken:
                said = f": {self.closed[0]} {self.closed[1]}" if self.closed else ""
                raise ConnectionBroken(f"{address} does not let this client in{said}")
        method = self._methods.pop(0)
        if not isinstance(method, wanted):
            raise ConnectionBroken(f"{address} says {method.name}, and not {wanted.name}")
        return method

    # -- saying and hearing -------------------------------------------------------------------

    def say(self, data: bytes) -> list[Event]:
        """Say something, which is sent later; return it as events."""
        self._waiting.append(data)
        events = self._decoder.from_client(data)
        for event in events:
            self._note(event)
        return events

    def send(self) -> None:
        """Send what is not sent yet."""
        data = b"".join(self._waiting)
        self._waiting.clear()
        if not data or self.broken:
            return
        try:
            self.socket.sendall(data)
        except OSError:
            self._ended()

    def read(self) -> None:
        """Take what the broker has sent; wait for something if there is nothing yet."""
        try:
            data = self.socket.recv(_CHUNK)
        except OSError:
            data = b""
        if not data:
            self._ended()
            return
        for event in self._decoder.from_broker(data):
            self._note(event)
            self._hear(event)
        try:
            self._take_own(data)
        except HardError:
            self._ended()

    def _take_own(self, data: bytes) -> None:
        self._reader.feed(data)
        while (received := self._reader.next()) is not None:
            if received.channel == 0 and received.kind == METHOD:
                self._own(decode_method(received))

    def _own(self, method: base.Frame) -> None:
        if isinstance(method, commands.Connection.Close):
            self.closed = method.reply_code or 0, " ".join(method.reply_text.split())
            self._tell(commands.Connection.CloseOk())
            self.send()
            self._ended()
        elif isinstance(method, commands.Connection.Blocked):
            self.blocked = True
        elif isinstance(method, commands.Connection.Unblocked):
            self.blocked = False
        else:
            self._methods.append(method)

    @property
    def problem(self) -> str | None:
        """Return why what the broker says cannot be understood any more, if so."""
        return self._decoder.problem

    # -- the end ------------------------------------------------------------------------------

    def _ended(self) -> None:
        self.broken = True

    def drop(self) -> None:
        """End the connection without a word."""
        self.broken = True
        self.socket.close()

    def close(self) -> None:
        """End the connection in good order."""
        if not self.broken:
            self._tell(commands.Connection.Close(200, "", 0, 0))
            self.send()
            while not self.broken and not self._methods:
                self.read()
        self.drop()


def readable(connections: Iterable[Connection], seconds: float) -> list[Connection]:
    """Return the connections that have something to read, or wait so long for one that does."""
    alive = {c.socket: c for c in connections if not c.broken}
    if not alive:
        return []
    ready, _, _ = select.select(list(alive), [], [], seconds)
    return [alive[one] for one in ready]
