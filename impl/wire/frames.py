"""Bytes to frames and back.

A frame is a type, a channel, a length, that many bytes, and an end mark.  The reader below finds
where frames begin and end, as the bytes come in; what is inside is for
`ackproof.impl.wire.decoding`.  The split is done here because a server has to refuse a frame by its
header, before it has stored what the header promises.

When a length is impossible or an end mark is missing, nobody knows where the next frame begins.
The reader is then *broken* and gives nothing any more.  A frame that is wrong inside is an error
too, but the one after it can be read, and the connection is closed in good order.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ackproof.impl.errors import HardError, octets
from ackproof.impl.wire.method_arguments import write_arguments
from pamqp import base, frame, heartbeat

__all__ = [
    "FRAME_MAX",
    "FRAME_MIN",
    "PROTOCOL_HEADER",
    "FrameReader",
    "Received",
    "encode_content",
    "encode_heartbeat",
    "encode_method",
]

PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"
#: Bytes of a whole frame, at most: what is usual, and what is agreed on before anything is said.
FRAME_MAX, FRAME_MIN = 131072, 4096

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8

_PREFIX = struct.Struct(">BHI")
_INDEX = struct.Struct(">I")
_OVERHEAD = _PREFIX.size + 1
_END = 0xCE
_END_BYTE = bytes([_END])

#: Bytes that the payload of a frame has at least, by its type: an index; class, weight and size.
_LEAST = {METHOD: 4, HEADER: 12, BODY: 0, HEARTBEAT: 0}


@dataclass(slots=True)
class Received:
    """One frame, undecoded: `raw` is all of it, prefix and end mark included.

    Nobody changes it; to freeze it would make it several times as expensive, and there is one for
    each frame.
    """

    kind: int
    channel: int
    raw: bytes

    @property
    def payload(self) -> bytes:
        """Return what is between prefix and end mark."""
        return self.raw[_PREFIX.size : -1]

    @property
    def method_index(self) -> int:
        """Return the class and the method of a method frame, in 32 bits."""
        index: int = _INDEX.unpack_from(self.raw, _PREFIX.size)[0]
        return index


class FrameReader:
    """Cuts a stream of bytes into frames.

    What comes in is joined to what is left over only when a frame is complete by that, so a frame
    that comes in many pieces is copied once.

    Attributes:
        frame_max: bytes of a whole frame at most; the session lowers it when it is negotiated.
    """

    def __init__(self, frame_max: int = FRAME_MAX) -> None:
        self.frame_max = frame_max
        self.broken = False
        self._bytes = b""
        self._at = 0
        self._late = bytearray()
        self._missing = 1

    def feed(self, data: bytes) -> None:
        """Take in bytes as they came from the socket; a broken reader throws them away."""
        if self.broken:
            return
        self._late += data
        if len(self._late) >= self._missing:
            self._bytes = self._bytes[self._at :] + bytes(self._late)
            self._at = 0
            self._late.clear()

    def _wait_for(self, size: int) -> None:
        """Keep what is left of the bytes, until it is so many."""
        self._bytes = self._bytes[self._at :]
        self._at = 0
        self._missing = size - len(self._bytes)

    def protocol_header(self) -> bool | None:
        """Tell whether the stream begins as AMQP 0-9-1 does; None while it still may."""
        start = self._bytes[: len(PROTOCOL_HEADER)]
        if not PROTOCOL_HEADER.startswith(start):
            self.broken = True
            return False
        if len(start) < len(PROTOCOL_HEADER):
            return None
        self._at = len(PROTOCOL_HEADER)
        return True

    def next(self) -> Received | None:
        """Return the next frame, or None if it has not come in entirely.

        The payload may be as long as a whole frame: clients are not agreed on what frame_max
        counts, and RabbitMQ is lenient with them too.

        Raises:
            HardError: 501, the bytes are no frame or one that is too long.
        """
        data, start = self._bytes, self._at
        if len(data) < start + _PREFIX.size:
            self._wait_for(_PREFIX.size)
            return None
        kind, channel, length = _PREFIX.unpack_from(data, start)
        if length > self.frame_max:
            most = self.frame_max - _OVERHEAD
            raise self._break(_frame_error(kind, b"", f"{{frame_too_large,{length},{most}}}"))
        end = start + length + _OVERHEAD
        if len(data) < end:
            self._wait_for(end - start)
            return None
        raw = data[start:end]
        if raw[-1] != _END:
            wrong = f"{{invalid_frame_end_marker,{raw[-1]}}}"
            raise self._break(_frame_error(kind, raw[_PREFIX.size : -1], wrong))
        self._at = end
        if length < _LEAST.get(kind, length + 1) or (kind == HEARTBEAT and length):
            raise _frame_error(kind, raw[_PREFIX.size : -1], "unknown_frame")
        return Received(kind, channel, raw)

    def _break(self, error: HardError) -> HardError:
        self.broken = True
        self._bytes = b""
        self._at = 0
        return error


def _frame_error(kind: int, payload: bytes, what: str) -> HardError:
    return HardError(501, f"type {kind}, all octets = {octets(payload)}: {what}")


def encode_method(method: base.Frame, channel: int) -> bytes:
    """Return the frame of a method."""
    payload = _INDEX.pack(method.index) + write_arguments(method)
    return _PREFIX.pack(METHOD, channel, len(payload)) + payload + _END_BYTE


def encode_heartbeat() -> bytes:
    """Return a heartbeat frame."""
    return frame.marshal(heartbeat.Heartbeat(), 0)


def encode_content(properties: bytes, content: bytes, channel: int, frame_max: int) -> bytes:
    """Return the frames of a content: its header, then its body in pieces that fit.

    Args:
        properties: the payload of the content header frame, as it was received.
        content: the body.
        channel: number of the channel.
        frame_max: bytes of a whole frame, at most.
    """
    step = frame_max - _OVERHEAD
    frames = [_PREFIX.pack(HEADER, channel, len(properties)), properties, _END_BYTE]
    for start in range(0, len(content), step):
        piece = content[start : start + step]
        frames += (_PREFIX.pack(BODY, channel, len(piece)), piece, _END_BYTE)
    return b"".join(frames)
