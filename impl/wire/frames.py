"""Bytes to frames and back.

A frame is a type, a channel, a length, that many bytes, and an end mark.  The reader below finds
where frames begin and end, as the bytes come in; what is inside is for
`ackproof.impl.wire.decoding`.  The split is done here because a server has to refuse a frame by its
header, before it has stored what the header promises.

Most of what comes in large numbers are publishes, of three frames each that lie there whole.  Those
are found together (`FrameReader.whole_publish`), as long as nothing about them is unusual; the rest
is looked at frame by frame, and errors are found there.

When a length is impossible or an end mark is missing, nobody knows where the next frame begins.
The reader is then *broken* and gives nothing any more.  A frame that is wrong inside is an error
too, but the one after it can be read, and the connection is closed in good order.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

from ackproof.impl.errors import HardError, octets
from ackproof.impl.wire.method_arguments import write_arguments
from pamqp import base, commands, frame, heartbeat

__all__ = [
    "FRAME_MAX",
    "FRAME_MIN",
    "PROTOCOL_HEADER",
    "FrameReader",
    "Received",
    "WholePublish",
    "encode_content",
    "encode_heartbeat",
    "encode_method",
]

PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"
#: Bytes of a whole frame, at most: what is usual, and what is agreed on before anything is said.
FRAME_MAX, FRAME_MIN = 131072, 4096

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8

_PREFIX = struct.Struct(">BHI")
#: A prefix and what comes then: the index of a method; class, weight and size of a content.
_METHOD_START, _CONTENT_START = struct.Struct(">BHII"), struct.Struct(">BHIHHQ")
_PUBLISH: int = commands.Basic.Publish.index
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


class WholePublish(NamedTuple):
    """The frames of a publish, one behind the other: their payloads, and where the last ends."""

    channel: int
    method: bytes
    header: bytes
    body: bytes
    end: int


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
        if self._late or len(data) < self._missing:
            self._late += data
            if len(self._late) < self._missing:
                return
            data = bytes(self._late)
            self._late.clear()
        self._bytes = self._bytes[self._at :] + data
        self._at = 0

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

    def whole_publish(self) -> WholePublish | None:
        """Return the publish that comes next, if it lies here whole, in three frames; else None.

        It is still next, until it was `take`n.
        """
        data, start = self._bytes, self._at
        size = len(data)
        if size < start + _METHOD_START.size:
            return None
        _, channel, length, index = _METHOD_START.unpack_from(data, start)
        if index != _PUBLISH or data[start] != METHOD or length > self.frame_max:
            return None
        head = start + length + _OVERHEAD
        if size < head + _CONTENT_START.size:
            return None
        kind, same, length, _, _, content = _CONTENT_START.unpack_from(data, head)
        if kind != HEADER or same != channel or not _LEAST[HEADER] <= length <= self.frame_max:
            return None
        if not content:  # then no frame of a body follows
            return None
        body = head + length + _OVERHEAD
        if size < body + _PREFIX.size:
            return None
        kind, same, length = _PREFIX.unpack_from(data, body)
        if kind != BODY or same != channel or length != content or length > self.frame_max:
            return None
        end = body + length + _OVERHEAD
        if size < end or not data[head - 1] == data[body - 1] == data[end - 1] == _END:
            return None
        return WholePublish(
            channel,
            data[start + _PREFIX.size : head - 1],
            data[head + _PREFIX.size : body - 1],
            data[body + _PREFIX.size : end - 1],
            end,
        )

    def take(self, whole: WholePublish) -> None:
        """Go on behind the publish that was found here."""
        self._at = whole.end

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
