"""Packets: where in the bytes of a capture each begins and ends, found by compiled code.

A capture is read in pieces.  Of pcap everything is found here.  Of pcapng it is the packets of
which there are most; at any other block compiled code stops, and `ackproof.conform.capture.files`
says what it is, as it says where a file is damaged.  A packet from there is kept behind the bytes
of the piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import numpy as np
from ackproof.conform.capture.files import (
    LONGEST,
    CutOff,
    Sections,
    damaged,
    is_section,
    pcap_of,
    refused,
)
from ackproof.conform.judging.compiled import compiled, kept
from ackproof.conform.sources import Source

__all__ = ["END", "LINK", "START", "TIME", "Piece", "pieces_of"]

#: What is known of a packet: its time, as the bits of a number; the type of its link; where its
#: bytes are.
TIME, LINK, START, END = range(4)
_PACKET = 4

#: Bytes that are read at a time, and packets of one piece at most.
_TOGETHER, _MOST = 4 << 20, 1 << 16
#: Why compiled code stops: no more bytes, enough packets, damage, a block of another kind.
_MORE, _ENOUGH, _DAMAGED, _OTHER = range(4)
_EXACT = 53

#: Bytes before a packet in pcap; before and behind one in pcapng.
_HEADER, _BEFORE, _BEHIND = 16, 28, 4
_PACKET_KIND = 6
_BLOCK_AT_LEAST, _SECTION_BYTES = 8, 12
_LARGEST = 1 << 62
_TICKS = 10**9


class Piece(NamedTuple):
    """Some packets: the bytes that they are in, and a row for each."""

    data: Any
    packets: Any

    @classmethod
    def of(cls, data: bytes, packets: bytes) -> Piece:
        """Return the packets that `packed` has made bytes of."""
        # The rows are copied: compiled code takes what cannot be written for another type.
        rows = np.frombuffer(packets, np.int64).reshape(-1, _PACKET).copy()
        return cls(np.frombuffer(data, np.uint8), rows)

    def packed(self) -> tuple[bytes, bytes]:
        """Return both as bytes."""
        return self.data.tobytes(), self.packets.tobytes()

    def between(self) -> tuple[float, float]:
        """Return the times of the first packet and of the last one."""
        times = self.packets[:, TIME].view(np.float64)
        return float(times[0]), float(times[-1])


def pieces_of(path: Source) -> Iterator[Piece]:
    """Yield the packets of a capture.

    Raises:
        RecordingError: it is no capture, or damaged; what comes before the damage was yielded.
    """
    with path.open("rb") as file:
        begin = file.read(4)
        try:
            pcap = pcap_of(begin, file)
        except CutOff:
            return
        if pcap is not None:
            yield from _of_pcap(path, file, *pcap)
        elif is_section(begin):
            file.seek(0)
            yield from _of_pcapng(path, file)
        else:
            raise refused(path)


class _Window:
    """The bytes of a file that are looked at: those left over, and the next ones."""

    def __init__(self, file: IO[bytes], place: int) -> None:
        self._file = file
        self.place = place  # of the first byte
        self.data = b""

    def more(self, passed: int) -> bool:
        """Go on behind so many bytes; tell whether there are more than before."""
        fresh = self._file.read(_TOGETHER)
        self.data = self.data[passed:] + fresh
        self.place += passed
        return bool(fresh)

    @property
    def bytes(self) -> Any:
        """Return the bytes as an array."""
        return np.frombuffer(self.data, np.uint8)


@compiled
def _number(data: Any, at: int, size: int, big: bool) -> Any:
    found: Any = 0
    for place in range(size):
        found = found << 8 | np.int64(data[at + (place if big else size - 1 - place)])
    return found


@compiled
def _seconds(total: int, ticks: int) -> float:
    """Return a quotient, rounded as Python does however large the numbers are."""
    if total < 1 << _EXACT:
        return total / ticks
    whole, part, bits = total // ticks, total % ticks, 0
    while whole << (bits + 1) < 1 << _EXACT:
        bits += 1
    found = (whole << bits) + (part << bits) // ticks
    rest = 2 * ((part << bits) % ticks)
    if rest > ticks or (rest == ticks and found & 1):
        found += 1
    return found / (1 << bits)


# -- pcap ---------------------------------------------------------------------------------------


@kept
def _index_pcap(data: Any, at: int, big: bool, ticks: int, link: int, found: Any) -> Any:
    """Return how many packets there are, where it stops, and why."""
    times = found.view(np.float64)
    for count in range(len(found)):
        if at + _HEADER > len(data):
            return count, at, _MORE
        part, size = _number(data, at + 4, 4, big), _number(data, at + 8, 4, big)
        if size > LONGEST or part >= ticks:
            return count, at, _DAMAGED
        if at + _HEADER + size > len(data):
            return count, at, _MORE
        times[count, TIME] = _seconds(_number(data, at, 4, big) * ticks + part, ticks)
        at += _HEADER + size
        found[count, LINK], found[count, START], found[count, END] = link, at - size, at
    return len(found), at, _ENOUGH


def _of_pcap(path: Source, file: IO[bytes], big: bool, ticks: int, link: int) -> Iterator[Piece]:
    window = _Window(file, file.tell())
    at, code = 0, _MORE
    while code != _MORE or window.more(at):
        at = 0 if code == _MORE else at
        found, data = np.zeros((_MOST, _PACKET), np.int64), window.bytes
        count, at, code = _index_pcap(data, at, big, ticks, link, found)
        yield Piece(data, found[:count])
        if code == _DAMAGED:
            part = int.from_bytes(window.data[at + 4 : at + 8], "big" if big else "little")
            size = int.from_bytes(window.data[at + 8 : at + 12], "big" if big else "little")
            what = f"a packet of {size:,} bytes" if size > LONGEST else f"the time {part}/{ticks}"
            raise damaged(path, window.place + at, f"{what} cannot be")


# -- pcapng -------------------------------------------------------------------------------------


@kept
def _index_blocks(data: Any, at: int, big: bool, interfaces: Any, found: Any) -> Any:
    """Return how many packets there are, where it stops, and why.

    Args:
        data: bytes of a file.
        at: where a block begins.
        big: the first byte of a number is the largest.
        interfaces: by their numbers: link, ticks of a second, and ticks to add; no ticks where it
            is not plain.
        found: where packets are put.
    """
    times = found.view(np.float64)
    for count in range(len(found)):
        if at + _BEFORE > len(data) or _number(data, at, 4, big) != _PACKET_KIND:
            return count, at, _OTHER
        size, interface = _number(data, at + 4, 4, big), _number(data, at + 8, 4, big)
        length = _number(data, at + 20, 4, big)
        if size > LONGEST or size % 4 or length + _BEFORE + _BEHIND > size:
            return count, at, _OTHER
        if at + size > len(data):
            return count, at, _MORE
        if _number(data, at + size - _BEHIND, 4, big) != size or interface >= len(interfaces):
            return count, at, _OTHER
        link, ticks, more = interfaces[interface]
        high = _number(data, at + 12, 4, big)
        total = (high << 32 | _number(data, at + 16, 4, big)) + more
        if ticks == 0 or high >= 1 << 29 or total < 0:
            return count, at, _OTHER
        times[count, TIME] = _seconds(total, ticks)
        found[count, LINK], found[count, START] = link, at + _BEFORE
        found[count, END] = at + _BEFORE + length
        at += size
    return len(found), at, _ENOUGH


def _of_pcapng(path: Source, file: IO[bytes]) -> Iterator[Piece]:
    window, sections, at = _Window(file, 0), Sections(path), 0
    there = True
    while there:
        there = window.more(at)
        at, whole = 0, window.bytes
        while True:
            found = np.zeros((_MOST, _PACKET), np.int64)
            known = _interfaces(sections)
            count, at, code = _index_blocks(whole, at, sections.big, known, found)
            if count:
                yield Piece(whole, found[:count])
            if code == _MORE:
                break
            if code == _OTHER:
                try:
                    size, one = _block(sections, window, at)
                except CutOff:
                    break
                if one is not None:
                    yield one
                at += size


def _interfaces(sections: Sections) -> Any:
    rows = []
    for interface in sections.interfaces:
        more = interface.offset * interface.ticks
        plain = interface.ticks <= _TICKS and abs(more) < _LARGEST
        rows.append((interface.link, interface.ticks, more) if plain else (0, 0, 0))
    return np.array(rows, np.int64).reshape(-1, 3)


def _block(sections: Sections, window: _Window, at: int) -> tuple[int, Piece | None]:
    """Return the size of a block, and the packet in it, if one is.

    Raises:
        CutOff: it has not come in entirely.
        RecordingError: it is damaged.
    """
    place = window.place + at
    size = sections.begin(window.data[at : at + _SECTION_BYTES], place)
    block = window.data[at : at + size]
    if len(block) < size:
        raise CutOff
    packet = sections.packet(block, place)
    if packet is None:
        return size, None
    row = np.zeros((1, _PACKET), np.int64)
    row.view(np.float64)[0, TIME] = packet.time
    row[0, LINK], row[0, END] = packet.link, len(packet.data)
    return size, Piece(np.frombuffer(packet.data, np.uint8), row)
