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
from typing import IO, NamedTuple

from ackproof.conform.schema import RecordingError
from ackproof.conform.sources import Source

__all__ = [
    "ENDINGS",
    "LONGEST",
    "CutOff",
    "Interface",
    "Packet",
    "Sections",
    "damaged",
    "is_capture",
    "is_section",
    "packets",
    "pcap_of",
    "refused",
]

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
#: Bytes that a block begins with; one that begins a section, which says the order of bytes.
_BLOCK_BEGIN, _SECTION_BEGIN = 8, 12

#: Bytes of one packet, and of one block, at most: more is damage.
LONGEST = 1 << 24
_LINK = 0xFFFF


class Packet(NamedTuple):
    """One packet: when it was seen, in seconds since 1970, the type of its link, and its bytes."""

    time: float
    link: int
    data: bytes


class Interface(NamedTuple):
    """What packets of one interface have in common."""

    link: int
    ticks: int
    offset: int
    longest: int


class CutOff(Exception):
    """The file ends within something."""


def is_capture(path: Source) -> bool:
    """Tell whether a file is one of packets, by its name or by its first bytes."""
    if path.suffix in ENDINGS:
        return True
    with path.open("rb") as file:
        begin = file.read(4)
    return begin in _PCAP or begin == _SECTION_BYTES


def packets(path: Source) -> Iterator[Packet]:
    """Yield the packets of a file, in its order.

    Raises:
        RecordingError: it is no capture, or damaged.
    """
    with path.open("rb") as file:
        begin = file.read(4)
        try:
            pcap = pcap_of(begin, file)
            if pcap is not None:
                yield from _of_pcap(path, file, *pcap)
            elif is_section(begin):
                yield from _of_pcapng(path, file)
            else:
                raise refused(path)
        except CutOff:
            return


def refused(path: Source) -> RecordingError:
    """Return that a file is no capture."""
    return RecordingError(
        f"{path}: this is no capture in pcap or pcapng; "
        "decompress it, or convert it with editcap -F pcapng"
    )


def damaged(path: Source, place: int, what: str) -> RecordingError:
    """Return that a file is damaged at a byte."""
    said = f"{path}: at byte {place}: {what}; the file is damaged, capture again, or cut it there"
    return RecordingError(said, place)


def _read(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise CutOff
    return data


# -- pcap ---------------------------------------------------------------------------------------


def pcap_of(begin: bytes, file: IO[bytes]) -> tuple[bool, int, int] | None:
    """Return how a pcap file is written; None if it is none.

    Args:
        begin: its first four bytes.
        file: the file, behind them.

    Returns:
        Whether the first byte of a number is the largest, into what a second is divided, and the
        type of the link.

    Raises:
        CutOff: it ends within that.
    """
    if begin not in _PCAP:
        return None
    order, ticks = _PCAP[begin]
    link = struct.unpack(order + "HHiIII", _read(file, 20))[5] & _LINK
    return order == ">", ticks, link


def _of_pcap(path: Source, file: IO[bytes], big: bool, ticks: int, link: int) -> Iterator[Packet]:
    header, place = struct.Struct((">" if big else "<") + "IIII"), 24
    while True:
        seconds, part, size, _ = header.unpack(_read(file, header.size))
        if size > LONGEST or part >= ticks:
            what = f"a packet of {size:,} bytes" if size > LONGEST else f"the time {part}/{ticks}"
            raise damaged(path, place, f"{what} cannot be")
        yield Packet((seconds * ticks + part) / ticks, link, _read(file, size))
        place += header.size + size


# -- pcapng -------------------------------------------------------------------------------------


def is_section(begin: bytes) -> bool:
    """Tell whether a file begins as pcapng does, by its first four bytes."""
    return begin.startswith(_SECTION_BYTES)


class Sections:
    """What is known of the section of a pcapng file that is read.

    Args:
        path: the file.

    Attributes:
        big: the first byte of a number is the largest.
        interfaces: those that were told.
    """

    def __init__(self, path: Source) -> None:
        self._path = path
        self._order = "<"
        self.interfaces: list[Interface] = []

    @property
    def big(self) -> bool:
        """Tell whether the first byte of a number is the largest."""
        return self._order == ">"

    def begin(self, begin: bytes, place: int) -> int:
        """Return how long a block is.

        Args:
            begin: its first bytes, 12 of them if there are.
            place: where in the file it begins.

        Raises:
            CutOff: there are too few.
            RecordingError: it is damaged.
        """
        needed = _SECTION_BEGIN if is_section(begin) else _BLOCK_BEGIN
        if len(begin) < needed:
            raise CutOff
        if is_section(begin):
            said = begin[_BLOCK_BEGIN:_SECTION_BEGIN]
            if said not in _ORDERS:
                raise damaged(self._path, place, "a section of no order of bytes")
            self._order = _ORDERS[said]
            self.interfaces = []
        size: int = struct.unpack_from(self._order + "I", begin, 4)[0]
        if not 12 <= size <= LONGEST or size % 4 or size < needed + 4:
            raise damaged(self._path, place, f"a block of {size:,} bytes cannot be")
        return size

    def packet(self, block: bytes, place: int) -> Packet | None:
        """Return the packet in a block; None if there is none.

        Raises:
            RecordingError: it is damaged.
        """
        kind, size = struct.unpack_from(self._order + "II", block)
        if struct.unpack(self._order + "I", block[-4:])[0] != size:
            what = "a block ends with another length than it begins with"
            raise damaged(self._path, place, what)
        try:
            return _of_block(self._order, kind, block[_BLOCK_BEGIN:-4], self.interfaces)
        except (struct.error, IndexError, ValueError) as error:
            raise damaged(self._path, place, f"a block cannot be read: {error}") from None


def _of_pcapng(path: Source, file: IO[bytes]) -> Iterator[Packet]:
    sections, place = Sections(path), 0
    file.seek(0)
    while True:
        begin = _read(file, _BLOCK_BEGIN)
        if is_section(begin):
            begin += _read(file, _SECTION_BEGIN - _BLOCK_BEGIN)
        size = sections.begin(begin, place)
        packet = sections.packet(begin + _read(file, size - len(begin)), place)
        if packet is not None:
            yield packet
        place += size


def _of_block(order: str, kind: int, body: bytes, interfaces: list[Interface]) -> Packet | None:
    if kind == _INTERFACE:
        interfaces.append(_interface(order, body))
    elif kind == _SIMPLE_PACKET:
        interface = interfaces[0]
        size = min(struct.unpack_from(order + "I", body)[0], interface.longest, len(body) - 4)
        return Packet(0.0, interface.link, body[4 : 4 + size])
    elif kind in (_PACKET, _OLD_PACKET):
        form = "IIIII" if kind == _PACKET else "HHIIII"
        number, *rest = struct.unpack_from(order + form, body)
        high, low, size, _ = rest[-4:]
        interface = interfaces[number]
        if size > len(body) - 20:
            raise ValueError(f"a packet of {size:,} bytes in a block of {len(body):,}")
        ticks = (high << 32 | low) + interface.offset * interface.ticks
        return Packet(ticks / interface.ticks, interface.link, body[20 : 20 + size])
    return None


def _interface(order: str, body: bytes) -> Interface:
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
    return Interface(link, ticks, offset, longest or LONGEST)
