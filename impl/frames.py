"""Bytes to frames and back.

A frame is a type, a channel, a length, that many bytes, and an end mark.  The reader below finds
where frames begin and end, as the bytes come in; what is inside a frame is pamqp's business.  The
split is done here because a server has to refuse a frame by its header, before it has stored what
the header promises: a type that does not exist, a length above what was negotiated.

After a frame error nobody knows where the next frame begins.  The reader is then *broken* and
gives nothing any more.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from ackproof.impl.errors import HardError
from pamqp import base, body, commands, frame, header, heartbeat
from pamqp.exceptions import PAMQPException

__all__ = [
    "FRAME_MAX",
    "PROTOCOL_HEADER",
    "FrameReader",
    "Received",
    "decode_header",
    "decode_method",
    "encode_content",
    "encode_heartbeat",
    "encode_method",
]

PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"
#: Bytes of a whole frame, at most: what the server offers, and takes before anything is agreed.
FRAME_MAX = 131072

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8

_PREFIX = struct.Struct(">BHI")
_OVERHEAD = _PREFIX.size + 1
_END = 0xCE


@dataclass(frozen=True, slots=True)
class Received:
    """One frame, undecoded: `raw` is all of it, prefix and end mark included."""

    kind: int
    channel: int
    raw: bytes

    @property
    def payload(self) -> bytes:
        """Return what is between prefix and end mark."""
        return self.raw[_PREFIX.size : -1]


class FrameReader:
    """Cuts a stream of bytes into frames.

    Attributes:
        frame_max: bytes of a whole frame at most; the session lowers it when it is negotiated.
    """

    def __init__(self) -> None:
        self.frame_max = FRAME_MAX
        self.broken = False
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        """Take in bytes as they came from the socket; a broken reader throws them away."""
        if not self.broken:
            self._bytes += data

    def protocol_header(self) -> bool | None:
        """Tell whether the stream begins as AMQP 0-9-1 does; None while it still may."""
        start = bytes(self._bytes[: len(PROTOCOL_HEADER)])
        if not PROTOCOL_HEADER.startswith(start):
            self.broken = True
            return False
        if len(start) < len(PROTOCOL_HEADER):
            return None
        del self._bytes[: len(PROTOCOL_HEADER)]
        return True

    def next(self) -> Received | None:
        """Return the next frame, or None if it has not come in entirely.

        Raises:
            HardError: 501, the bytes are no frame or one that is too long.
        """
        if self.broken or len(self._bytes) < _PREFIX.size:
            return None
        kind, channel, length = _PREFIX.unpack_from(self._bytes)
        if kind not in (METHOD, HEADER, BODY, HEARTBEAT):
            raise self._break(f"type {kind}, all octets = {self._excerpt()}: unknown frame type")
        size = length + _OVERHEAD
        if size > self.frame_max:
            raise self._break(f"a frame of {size} bytes, larger than negotiated {self.frame_max}")
        if len(self._bytes) < size:
            return None
        if self._bytes[size - 1] != _END:
            raise self._break(f"frame ends with {self._bytes[size - 1]} instead of {_END}")
        raw = bytes(self._bytes[:size])
        del self._bytes[:size]
        return Received(kind, channel, raw)

    def _excerpt(self) -> str:
        return repr(bytes(self._bytes[: _PREFIX.size]))

    def _break(self, explanation: str) -> HardError:
        self.broken = True
        self._bytes.clear()
        return HardError(501, explanation)


def decode_method(received: Received) -> base.Frame:
    """Decode a method frame.

    Raises:
        HardError: 503, no such method; 502, its arguments cannot be read.
    """
    index = int.from_bytes(received.raw[7:11], "big")
    if len(received.raw) < _OVERHEAD + 4 or index not in commands.INDEX_MAPPING:
        class_id, method_id = index >> 16, index & 0xFFFF
        raise HardError(503, f"no method {method_id} in class {class_id}")
    name = str(vars(commands.INDEX_MAPPING[index])["name"])
    method: base.Frame = _decode(received, f"arguments of {name}")
    return method


def decode_header(received: Received) -> header.ContentHeader:
    """Decode a content header frame.

    Raises:
        HardError: 502, it cannot be read.
    """
    decoded: header.ContentHeader = _decode(received, "content header")
    return decoded


def _decode(received: Received, what: str) -> Any:
    try:
        return frame.unmarshal(received.raw)[2]
    except (PAMQPException, ValueError, TypeError, LookupError, OverflowError, struct.error):
        raise HardError(502, f"{what} cannot be decoded") from None
    except RecursionError:
        raise HardError(502, f"{what} are nested too deep") from None


def encode_method(method: base.Frame, channel: int) -> bytes:
    """Return the frame of a method."""
    return frame.marshal(method, channel)


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
    head = _PREFIX.pack(HEADER, channel, len(properties)) + properties + bytes([_END])
    step = frame_max - _OVERHEAD
    pieces = [
        frame.marshal(body.ContentBody(content[start : start + step]), channel)
        for start in range(0, len(content), step)
    ]
    return head + b"".join(pieces)
