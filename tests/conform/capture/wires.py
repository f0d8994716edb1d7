"""Wires: what was said on a connection, as the packets that carry it, and those as a file.

Nothing here is of the code under test: headers are written by hand.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.conform.capture.tap import Dialogue

__all__ = ["ETHERNET", "Sent", "captured", "link_of", "sent", "written"]

ETHERNET = 1
_SYN, _FIN, _PUSH, _ACK = 2, 1, 8, 16
_STEP = 0.001
_BEGIN = 1_700_000_000.0


@dataclass(frozen=True)
class Sent:
    """One TCP segment as it is on the wire."""

    side: int
    seq: int
    ack: int
    data: bytes = b""
    flags: int = _ACK
    ports: tuple[int, int] = (40_000, 5672)
    v6: bool = False

    def datagram(self) -> bytes:
        """IP, TCP, and the data."""
        source, target = self.ports if self.side == 0 else self.ports[::-1]
        low = (self.seq % 2**32, self.ack % 2**32 if self.flags & _ACK else 0)
        tcp = struct.pack(">HHIIHHHH", source, target, *low, 5 << 12 | self.flags, 1000, 0, 0)
        tcp += self.data
        hosts = ("fd00::1", "fd00::2") if self.v6 else ("10.0.0.1", "10.0.0.2")
        ends = hosts if self.side == 0 else hosts[::-1]
        if self.v6:
            addresses = b"".join(socket.inet_pton(socket.AF_INET6, end) for end in ends)
            return struct.pack(">IHBB", 6 << 28, len(tcp), 6, 64) + addresses + tcp
        addresses = b"".join(map(socket.inet_aton, ends))
        return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0) + addresses + tcp


def sent(
    dialogue: Dialogue,
    size: int = 1400,
    first: tuple[int, int] = (1_000, 2**32 - 500),
    ports: tuple[int, int] = (40_000, 5672),
    v6: bool = False,
) -> list[Sent]:
    """The segments of a whole connection, from its SYN to its FINs.

    Args:
        dialogue: what is said.
        size: bytes of data in a segment at most.
        first: the first numbers of both sides; those of the broker soon pass 2^32.
        ports: those of the client and the broker.
        v6: whether it is over IPv6.
    """
    place = list(first)
    segments = [
        Sent(0, place[0], 0, flags=_SYN),
        Sent(1, place[1], place[0] + 1, flags=_SYN | _ACK),
    ]
    place = [n + 1 for n in place]
    segments.append(Sent(0, *place))
    for side, data in dialogue:
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            segments.append(Sent(side, place[side], place[1 - side], piece, _ACK | _PUSH))
            place[side] += len(piece)
    segments.append(Sent(0, place[0], place[1], flags=_FIN | _ACK))
    segments.append(Sent(1, place[1], place[0] + 1, flags=_FIN | _ACK))
    return [replace(segment, ports=ports, v6=v6) for segment in segments]


def link_of(link: int, datagram: bytes, vlans: tuple[int, ...] = ()) -> bytes:
    """A datagram in what a link puts around it."""
    kind = 0x86DD if datagram[0] >> 4 == 6 else 0x0800
    if link in (0, 108):
        return struct.pack("<I" if link == 0 else ">I", 2 if kind == 0x0800 else 30) + datagram
    outer = [*(0x8100 for _ in vlans), kind]
    tags = b"".join(struct.pack(">HH", v, t) for v, t in zip(vlans, outer[1:], strict=True))
    begins = {
        1: bytes(12) + struct.pack(">H", outer[0]),
        113: bytes(14) + struct.pack(">H", outer[0]),
        276: struct.pack(">H", outer[0]) + bytes(18),
    }
    return begins.get(link, b"") + tags + datagram


def captured(segments: Iterable[Sent], link: int = ETHERNET) -> list[tuple[float, bytes]]:
    """Packets with times, as they are in a file, one after the other."""
    return [
        (_BEGIN + number * _STEP, link_of(link, segment.datagram()))
        for number, segment in enumerate(segments)
    ]


def written(path: Path, segments: Iterable[Sent], link: int = ETHERNET) -> Path:
    """A pcap file."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link))
        for time, packet in captured(segments, link):
            file.write(struct.pack("<II", int(time), round(time % 1 * 1e6)))
            file.write(struct.pack("<II", len(packet), len(packet)) + packet)
    return path
