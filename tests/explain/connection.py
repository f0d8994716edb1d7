"""A connection to a broker: methods with their contents, over a socket."""

from __future__ import annotations

import select
import socket
from typing import Any, NamedTuple

from pamqp import body, commands, frame, header

from tests.impl.clients import HEADER, encode

__all__ = ["Connection", "Ended", "Method"]

_WITH_CONTENT = commands.Basic.Return | commands.Basic.Deliver | commands.Basic.GetOk


class Ended(Exception):
    """The broker has broken the connection."""


class Method(NamedTuple):
    """A method that was read on a channel, with the content that belongs to it."""

    channel: int
    method: Any
    text: bytes


class Connection:
    """A connection that is open, and knows what connection.blocked is.

    Args:
        address: host and port where the broker listens.
        patience: seconds to wait for what must come; whoever takes longer will not do it.
    """

    def __init__(self, address: tuple[str, int], patience: float) -> None:
        self._socket = socket.create_connection(address, timeout=patience)
        self._buffer = b""
        self._socket.sendall(HEADER)
        self._expect(commands.Connection.Start)
        properties: Any = {"capabilities": {"connection.blocked": True, "basic.nack": True}}
        self.say(0, commands.Connection.StartOk(properties, "PLAIN", "\0guest\0guest", "en_US"))
        self._expect(commands.Connection.Tune)
        self.say(0, commands.Connection.TuneOk(2047, 131072, 0), commands.Connection.Open())
        self._expect(commands.Connection.OpenOk)

    def say(self, channel: int, *frames: frame.FrameTypes) -> None:
        """Write some frames.  Who is no longer there does not get them."""
        self._socket.sendall(encode(channel, *frames))

    def close(self) -> None:
        """Close it, without a word."""
        self._socket.close()

    def readable(self, seconds: float) -> bool:
        """Tell whether something has been read that was not taken, or comes within some seconds."""
        return bool(self._buffer) or bool(select.select([self._socket], [], [], seconds)[0])

    def take(self) -> Method:
        """Read the next method.

        Raises:
            Ended: the connection is broken.
            TimeoutError: nothing has come.
        """
        number, method = self._frame()
        text = b""
        if isinstance(method, _WITH_CONTENT):
            _, head = self._frame()
            assert isinstance(head, header.ContentHeader)
            while len(text) < head.body_size:
                _, piece = self._frame()
                assert isinstance(piece, body.ContentBody)
                text += piece.value
        return Method(number, method, text)

    def _expect(self, kind: type) -> None:
        method = self.take().method
        assert isinstance(method, kind), method

    def _frame(self) -> tuple[int, Any]:
        while len(self._buffer) < 7 or len(self._buffer) < self._size():
            try:
                more = self._socket.recv(1 << 16)
            except ConnectionError:
                more = b""
            if not more:
                raise Ended
            self._buffer += more
        size, number, one = frame.unmarshal(self._buffer)
        self._buffer = self._buffer[size:]
        return number, one

    def _size(self) -> int:
        return int.from_bytes(self._buffer[3:7], "big") + 8
