"""Boundaries: where in a stream of bytes that was joined late a frame of AMQP 0-9-1 begins.

A frame says how long it is and has a mark at its end, and there the next one begins.  So a boundary
is where such a chain of frames begins that does not break.  Within a body there may be something
that looks like frames; but a body ends, and a chain that began in it breaks there at the latest.
So whoever follows a chain for longer than a frame is, knows; and as long as there are bytes
to come, that is waited for.

Where the bytes end before, the first place is taken from which all that there is are frames.
"""

from __future__ import annotations

import re
import struct

from ackproof.impl.errors import HardError
from ackproof.impl.wire.decoding import decode_method, read_properties, split_header
from ackproof.impl.wire.frames import (
    BODY,
    FRAME_MAX,
    HEADER,
    HEARTBEAT,
    METHOD,
    PROTOCOL_HEADER,
    Received,
)

__all__ = ["Boundary"]

_PREFIX, _END_MARK = 7, 0xCE
_BASIC = 60
#: How a frame begins whose length can be: type, channel, length.
_BEGINNING = re.compile(rb"[\x01\x02\x03\x08][\s\S]{2}\x00[\x00-\x02][\s\S]{2}")
_BROKEN, _INCOMPLETE = -1, 0


class Boundary:
    """Looks for a boundary in the bytes of one side.

    Args:
        start: the number of the first byte that it will be given.
    """

    def __init__(self, start: int) -> None:
        self._start = start
        self._bytes = bytearray()
        self._at = 0  # where a chain may begin: at none of the bytes before
        self._chain: int | None = None  # where the chain from there goes on

    def feed(self, data: bytes) -> int | None:
        """Take the next bytes; return the number of the boundary if it is known for certain."""
        self._bytes += data
        if self._follow() and self._followed() > FRAME_MAX:
            return self._start + self._at
        return None

    def best(self) -> int | None:
        """Return the number of the first byte from which on there are frames; None if nowhere."""
        while self._follow():
            if self._followed():
                return self._start + self._at
            self._at += 1
            self._chain = None
        return None

    def _followed(self) -> int:
        """Return how many bytes of whole frames are in the chain."""
        return 0 if self._chain is None else self._chain - self._at

    def _follow(self) -> bool:
        """Go on along chains until one is not broken as far as is known; tell whether one is."""
        while True:
            if self._chain is None and not self._find():
                return False
            assert self._chain is not None
            while (size := self._frame_at(self._chain)) > 0:
                self._chain += size
            if size == _INCOMPLETE:
                return True
            self._at += 1
            self._chain = None

    def _find(self) -> bool:
        """Find the next place at which a chain may begin."""
        if self._at == 0 and self._bytes.startswith(PROTOCOL_HEADER):
            self._at = len(PROTOCOL_HEADER)
            self._chain = self._at
            return True
        found = _BEGINNING.search(self._bytes, self._at)
        if found is None:
            self._at = max(self._at, len(self._bytes) - _PREFIX + 1)
            return False
        self._at = self._chain = found.start()
        return True

    def _frame_at(self, place: int) -> int:
        """Return how long the frame is that begins at a place."""
        prefix = self._bytes[place : place + _PREFIX]
        if len(prefix) < _PREFIX:
            return _INCOMPLETE
        if _BEGINNING.match(prefix) is None:
            return _BROKEN
        size = _PREFIX + int.from_bytes(prefix[3:], "big") + 1
        if size > FRAME_MAX + _PREFIX + 1:
            return _BROKEN
        raw = bytes(self._bytes[place : place + size])
        if len(raw) < size:
            return _INCOMPLETE
        if raw[-1] != _END_MARK:
            return _BROKEN
        kind, channel = raw[0], int.from_bytes(raw[1:3], "big")
        return size if _can_be(Received(kind, channel, raw)) else _BROKEN


def _can_be(frame: Received) -> bool:
    """Tell whether AMQP 0-9-1 has such a frame."""
    payload = frame.payload
    try:
        if frame.kind == METHOD:
            decode_method(frame)
        elif frame.kind == HEADER:
            class_id, _, said = split_header(payload)
            read_properties(said)
            return class_id == _BASIC
        elif frame.kind == HEARTBEAT:
            return frame.channel == 0 and not payload
    except (HardError, struct.error):
        return False
    return frame.kind == METHOD or frame.kind == BODY
