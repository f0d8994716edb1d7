"""Files of packets: pcap, and pcapng with any number of sections and interfaces.

A file is read from its beginning to its end, a packet at a time.  What is not a packet is passed
over.  A file that ends within a packet, because whoever wrote it was killed, is read up to there,
as a recording is; one that says what cannot be is refused, with the byte at which it does.

The containers are read here and not by the library that takes the packets apart: it knows one
interface for a file, and it does not say where a file is damaged.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from ackproof.conform.schema import RecordingError

__all__ = ["ENDINGS", "Packet", "is_capture", "packets"]

#: How the names of captures end.
ENDINGS = (".pcap", ".pcapng", ".cap")

#: First bytes of a pcap file, with the order of its bytes and what a second is divided into.
_PCAP = {
    b"\xd4\xc3\xb2\xa1": ("<", 10**6),
    b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\x4d\x3c\xb2\xa1": ("<", 10**9),
    b"\xa1\xb2\x3c\x4d": (">", 10**9),
}
_SECTION_BYTES = b"\x0a\x0d\x0d\x0a"
_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_SECTION, _INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _PACKET = 0x0A0D0D0A, 1, 2, 3, 6
_RESOLUTION, _OFFSET = 9, 14

#: Bytes of one packet, and of one block, at most: more is damage.
_LONGEST = 1 << 24
_LINK = 0xFFFF


class Packet(NamedTuple):
    """One packet: when it was seen, in seconds since 1970, the type of its link, and its bytes."""

    time: float
    link: int
    data: bytes


class _Interface(NamedTuple):
    """What packets of one interface have in common."""

    link: int
    ticks: int
    offset: int
    longest: int


class _CutOff(Exception):
    """The file ends within something."""


def is_capture(path: Path) -> bool:
    """Tell whether a file is one of packets, by its name or by its first bytes."""
    if path.suffix in ENDINGS:
        return True
    with path.open("rb") as file:
        begin = file.read(4)
    return begin in _PCAP or begin == _SECTION_BYTES


def packets(path: Path) -> Iterator[Packet]:
    """Yield the packets of a file, in its order.

    Raises:
        RecordingError: it is no capture, or damaged.
    """
    with path.open("rb") as file:
        begin = file.read(4)
        if begin in _PCAP:
            source = _of_pcap(path, file, *_PCAP[begin])
        elif begin == _SECTION_BYTES:
            source = _of_pcapng(path, file)
        else:
            raise RecordingError(
                f"{path}: this is no capture in pcap or pcapng; "
                "decompress it, or convert it with editcap -F pcapng"
            )
        try:
            yield from source
        except _CutOff:
            return


def _damaged(path: Path, place: int, what: str) -> RecordingError:
    return RecordingError(
        f"{path}: at byte {place}: {what}; the file is damaged, capture again, or cut it there"
    )


def _read(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise _CutOff
    return data


# -- pcap ---------------------------------------------------------------------------------------


def _of_pcap(path: Path, file: IO[bytes], order: str, ticks: int) -> Iterator[Packet]:
    link = struct.unpack(order + "HHiIII", _read(file, 20))[5] & _LINK
    header, place = struct.Struct(order + "IIII"), 24
    while True:
        seconds, part, size, _ = header.unpack(_read(file, header.size))
        if size > _LONGEST or part >= ticks:
            what = f"a packet of {size:,} bytes" if size > _LONGEST else f"the time {part}/{ticks}"
            raise _damaged(path, place, f"{what} cannot be")
        yield Packet((seconds * ticks + part) / ticks, link, _read(file, size))
        place += header.size + size


# -- pcapng -------------------------------------------------------------------------------------


def _of_pcapng(path: Path, file: IO[bytes]) -> Iterator[Packet]:
    order, place = "<", 0
    interfaces: list[_Interface] = []
    file.seek(0)
    while True:
        begin = _read(file, 8)
        if begin.startswith(_SECTION_BYTES):
            said = _read(file, 4)
            if said not in _ORDERS:
                raise _damaged(path, place, "a section of no order of bytes")
            order = _ORDERS[said]
            interfaces = []
            begin += said
        kind, size = struct.unpack(order + "II", begin[:8])
        if not 12 <= size <= _LONGEST or size % 4 or size < len(begin) + 4:
            raise _damaged(path, place, f"a block of {size:,} bytes cannot be")
        body = begin[8:] + _read(file, size - len(begin))
        if struct.unpack(order + "I", body[-4:])[0] != size:
            raise _damaged(path, place, "a block ends with another length than it begins with")
        try:
            yield from _of_block(order, kind, body[:-4], interfaces)
        except (struct.error, IndexError, ValueError) as error:
            raise _damaged(path, place, f"a block cannot be read: {error}") from None
        place += size


def _of_block(order: str, kind: int, body: bytes, interfaces: list[_Interface]) -> Iterator[Packet]:
    if kind == _INTERFACE:
        interfaces.append(_interface(order, body))
    elif kind == _SIMPLE_PACKET:
        interface = interfaces[0]
        size = min(struct.unpack_from(order + "I", body)[0], interface.longest, len(body) - 4)
        yield Packet(0.0, interface.link, body[4 : 4 + size])
    elif kind in (_PACKET, _OLD_PACKET):
        form = "IIIII" if kind == _PACKET else "HHIIII"
        number, *rest = struct.unpack_from(order + form, body)
        high, low, size, _ = rest[-4:]
        interface = interfaces[number]
        if size > len(body) - 20:
            raise ValueError(f"a packet of {size:,} bytes in a block of {len(body):,}")
        ticks = (high << 32 | low) + interface.offset * interface.ticks
        yield Packet(ticks / interface.ticks, interface.link, body[20 : 20 + size])


def _interface(order: str, body: bytes) -> _Interface:
    link, _, longest = struct.unpack_from(order + "HHI", body)
    ticks, offset, place = 10**6, 0, 8
    while place + 4 <= len(body):
        code, size = struct.unpack_from(order + "HH", body, place)
        if code == 0:
            break
        value = body[place + 4 : place + 4 + size]
        if code == _RESOLUTION:
            power = value[0] & 0x7F
            ticks = 2**power if value[0] & 0x80 else 10**power
        elif code == _OFFSET:
            (offset,) = struct.unpack(order + "q", value)
        place += 4 + size + -size % 4
    return _Interface(link, ticks, offset, longest or _LONGEST)
