"""A capture for measurements: one connection of a publisher in confirm mode that also consumes.

A window of 100 messages is published, acked by two frames, delivered and acked, again and again,
cut into packets as Ethernet has them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from ackproof.impl.wire.frames import PROTOCOL_HEADER, encode_content, encode_method
from pamqp import base, commands, header

__all__ = ["FULL", "WINDOW", "write_capture"]

WINDOW = 100
#: Events of one window: publishes, deliveries and their acks, and two confirms.
_EVENTS = 3 * WINDOW + 2
_PORTS = (40_000, 5672)
#: Bytes of data in a full packet.
FULL = 1448
_BODY = b"a body of some length"
_MEGA = 10**6


def _message(method: base.Frame) -> bytes:
    said = header.ContentHeader(0, len(_BODY), commands.Basic.Properties(message_id="m"))
    return encode_method(method, 1) + encode_content(said.marshal(), _BODY, 1, 131072)


def _said(windows: int) -> Iterator[tuple[int, bytes]]:
    """Yield what the client (0) and the broker (1) say."""
    yield 0, PROTOCOL_HEADER + encode_method(commands.Channel.Open(), 1)
    yield 1, encode_method(commands.Channel.OpenOk(), 1)
    consume = commands.Basic.Consume(0, "q", "c")
    yield 0, encode_method(commands.Confirm.Select(), 1) + encode_method(consume, 1)
    started = encode_method(commands.Basic.ConsumeOk("c"), 1)
    yield 1, encode_method(commands.Confirm.SelectOk(), 1) + started
    publish = _message(commands.Basic.Publish(0, "", "q", True))
    for window in range(windows):
        first, last = window * WINDOW + 1, (window + 1) * WINDOW
        tags = range(first, last + 1)
        yield 0, publish * WINDOW
        half = encode_method(commands.Basic.Ack(first + WINDOW // 2), 1)
        yield 1, half + encode_method(commands.Basic.Ack(last, True), 1)
        deliveries = [commands.Basic.Deliver("c", tag, False, "", "q") for tag in tags]
        yield 1, b"".join(map(_message, deliveries))
        yield 0, b"".join(encode_method(commands.Basic.Ack(tag), 1) for tag in tags)


def _packets(windows: int, size: int) -> Iterator[bytes]:
    places = [1, 1]
    yield _packet(0, 0, 0, b"", 2)
    yield _packet(1, 0, 1, b"", 18)
    for side, data in _said(windows):
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            yield _packet(side, places[side], places[1 - side], piece, 16)
            places[side] += len(piece)


def _packet(side: int, seq: int, ack: int, data: bytes, flags: int) -> bytes:
    ends = (b"\x0a\0\0\1", b"\x0a\0\0\2")
    ports = _PORTS if side == 0 else _PORTS[::-1]
    numbers = (seq % 2**32, ack % 2**32)
    tcp = struct.pack(">HHIIHHHH", *ports, *numbers, 5 << 12 | flags, 65535, 0, 0) + data
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0)
    return bytes(12) + b"\x08\x00" + ip + ends[side] + ends[1 - side] + tcp


def write_capture(path: Path, count: int, size: int = FULL) -> int:
    """Write a capture of about so many events; return how many packets it has.

    Args:
        path: the file.
        count: how many events.
        size: bytes of data in a packet, at most.
    """
    number = 0
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1))
        for number, packet in enumerate(_packets(count // _EVENTS, size), 1):
            time = (1_700_000_000 + number // _MEGA, number % _MEGA)
            file.write(struct.pack("<IIII", *time, len(packet), len(packet)) + packet)
    return number
