"""A capture for measurements: connections of publishers in confirm mode that also consume.

On each a window of 100 messages is published, acked by two frames, delivered and acked, again and
again, cut into packets as Ethernet has them.  There is one connection in a capture in one file, and
some at the same time in one that is in many files.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path

from ackproof.impl.wire.frames import PROTOCOL_HEADER, encode_content, encode_method
from pamqp import base, commands, header

__all__ = ["FULL", "WINDOW", "write_capture", "write_pieces"]

WINDOW = 100
#: Events of one window: publishes, deliveries and their acks, and two confirms.
_EVENTS = 3 * WINDOW + 2
_CLIENT, _BROKER = 40_000, 5672
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


def _packets(windows: int, size: int, client: int = _CLIENT) -> Iterator[bytes]:
    places, packet = [1, 1], partial(_packet, (client, _BROKER))
    yield packet(0, 0, 0, b"", 2)
    yield packet(1, 0, 1, b"", 18)
    for side, data in _said(windows):
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            yield packet(side, places[side], places[1 - side], piece, 16)
            places[side] += len(piece)


def _packet(
    ports: tuple[int, int], side: int, seq: int, ack: int, data: bytes, flags: int
) -> bytes:
    ends = (b"\x0a\0\0\1", b"\x0a\0\0\2")
    ports = ports if side == 0 else ports[::-1]
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
    return _write(path, _packets(count // _EVENTS, size))


def write_pieces(folder: Path, count: int, connections: int, files: int) -> list[Path]:
    """Write a capture of about so many events, of some connections, into some files."""
    windows = count // _EVENTS // connections
    lines = [_packets(windows, FULL, _CLIENT + number) for number in range(connections)]
    packets = (packet for row in zip_longest(*lines) for packet in row if packet is not None)
    paths, number = [folder / f"c-{file:02}.pcap" for file in range(files)], 0
    each = sum(1 for _ in _packets(windows, FULL)) * connections // files + 1
    for path in paths:
        number += _write(path, islice(packets, each), number)
    return paths


def _write(path: Path, packets: Iterable[bytes], before: int = 0) -> int:
    """Write packets, a microsecond apart, behind so many; return how many they are."""
    number = before
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1))
        for number, packet in enumerate(packets, before + 1):
            time = (1_700_000_000 + number // _MEGA, number % _MEGA)
            file.write(struct.pack("<IIII", *time, len(packet), len(packet)) + packet)
    return number - before
