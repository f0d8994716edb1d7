"""Segments: what packets say of TCP connections, as rows of numbers, found by compiled code.

It says the same as `ackproof.conform.capture.segments`.  What is rare, as IPv6 with extension
headers, is taken apart there.

A *pair* is two addresses that speak with each other.  Pairs are numbered as they are first seen,
and the sides of a pair are its lower and its higher address.
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

import numpy as np
from ackproof.conform.capture import segments as apart
from ackproof.conform.capture.files import Packet
from ackproof.conform.capture.segments import Address, Segment
from ackproof.conform.judging.compiled import compiled, kept
from ackproof.conform.scanning import packets
from dpkt.tcp import TH_ACK, TH_FIN, TH_SYN

__all__ = [
    "ACK",
    "BEGINS",
    "DATA",
    "ENDS",
    "FLAGS",
    "HAS_ACK",
    "PACKET",
    "PAIR",
    "SEQ",
    "SIDE",
    "TIME",
    "UNTIL",
    "Pairs",
    "Rows",
]

#: What is known of a segment: its pair and side, numbers, what it is, where its data are, when it
#: was seen, and in which packet.
(PAIR, SIDE, SEQ, ACK, FLAGS, DATA, UNTIL, TIME, PACKET) = range(9)
_SEGMENT = 9
HAS_ACK, BEGINS, ENDS = TH_ACK, TH_SYN, TH_FIN
_FLAGS = HAS_ACK | BEGINS | ENDS

#: A pair that is none: the packet is none of ours, or it is rare.
_NOT_OURS, _RARE = -1, -2

_ETHERNET, _COOKED, _COOKED2 = apart.ETHERNET, apart.COOKED, apart.COOKED2
_HEADED = np.array(sorted(apart.HEADED), np.int64)
_BARE = np.array(sorted(apart.BARE), np.int64)
_VLAN = np.array(sorted(apart.VLAN), np.int64)
_IPV4, _IPV6, _TCP = 0x0800, 0x86DD, 6
_TCP_LEAST = 20
#: Extension headers of IPv6.
_EXTENSIONS = np.array([0, 43, 44, 51, 50, 60], np.int64)

#: An address in four words: twice eight bytes, the port, and the version of IP.
_ADDRESS = 3
_FACTOR = np.int64(-7046029254386353131)
_FEW = 64
#: The number of a byte, with a sign: compiled code makes a float of one with and one without.
_int: Any = np.int64


class Rows(NamedTuple):
    """Segments.

    Attributes:
        data: the bytes that they are in.
        numbers: a row for each.
    """

    data: Any
    numbers: Any


class Pairs:
    """The pairs of addresses of a capture.

    Attributes:
        addresses: of each pair, the lower and the higher one.
    """

    def __init__(self) -> None:
        self.addresses: list[tuple[Address, Address]] = []
        self._table = np.full(_FEW, -1, np.int64)
        self._words = np.zeros((_FEW // 2, 2 * _ADDRESS), np.int64)
        self._count = np.zeros(1, np.int64)
        self._seed = secrets.randbits(62) | 1
        self._before = 0  # packets of the pieces before

    def rows(self, piece: packets.Piece) -> Rows:
        """Return the segments of some packets."""
        data, found, done = piece.data, np.empty((len(piece.packets), _SEGMENT), np.int64), 0
        while done < len(found):
            if 2 * int(self._count[0]) >= len(self._table):
                self._grow()
            where = self._table, self._words, self._count, self._seed
            done = _segments(data, piece.packets, found, done, *where)
        found[:, PACKET] += self._before
        self._name()
        rare = np.flatnonzero(found[:, PAIR] == _RARE)
        if len(rare):
            data = self._rare(data, piece.packets, found, rare)
        self._before += len(found)
        return Rows(data, found[found[:, PAIR] >= 0])

    def segment(self, rows: Rows, row: int) -> Segment:
        """Return a segment."""
        said = rows.numbers[row].tolist()
        ends = self.addresses[said[PAIR]]
        return Segment(
            float(rows.numbers[row, TIME].view(np.float64)),
            ends[said[SIDE]],
            ends[1 - said[SIDE]],
            said[SEQ],
            said[ACK] if said[FLAGS] & HAS_ACK else None,
            bool(said[FLAGS] & BEGINS),
            bool(said[FLAGS] & ENDS),
            rows.data[said[DATA] : said[UNTIL]].tobytes(),
        )

    def _name(self) -> None:
        """Say the addresses of new pairs."""
        for words in self._words[len(self.addresses) : self._count[0]].tolist():
            self.addresses.append((_address(words[:_ADDRESS]), _address(words[_ADDRESS:])))

    def _grow(self) -> None:
        count = int(self._count[0])
        self._table = np.full(2 * len(self._table), -1, np.int64)
        words = np.zeros((len(self._table) // 2 + 1, 2 * _ADDRESS), np.int64)
        words[:count] = self._words[:count]
        self._words = words
        self._count[0] = 0
        for pair in range(count):
            _pair_of(words[pair], self._table, self._words, self._count, self._seed)

    def _rare(self, data: Any, all_packets: Any, found: Any, rare: Any) -> Any:
        """Fill the rows of rare packets; return the bytes with their data behind."""
        more, size = [data], len(data)
        for row in rare.tolist():
            said = all_packets[row]
            time = float(said[packets.TIME].view(np.float64))
            raw = data[said[packets.START] : said[packets.END]].tobytes()
            segment = apart.segment_of(Packet(time, int(said[packets.LINK]), raw))
            found[row, PAIR] = _NOT_OURS
            if segment is None:
                continue
            source, target = _words_of(segment.source), _words_of(segment.target)
            side = int(target < source)
            words = np.array([*target, *source] if side else [*source, *target], np.int64)
            if 2 * int(self._count[0]) >= len(self._table):
                self._grow()
            where = self._table, self._words, self._count, self._seed
            flags = (segment.ack is not None) * HAS_ACK
            flags |= segment.begins * BEGINS | segment.ends * ENDS
            found[row, PAIR] = _pair_of(words, *where)
            found[row, SIDE:DATA] = side, segment.seq, segment.ack or 0, flags
            found[row, DATA:TIME] = size, size + len(segment.data)
            more.append(np.frombuffer(segment.data, np.uint8))
            size += len(segment.data)
        self._name()
        return np.concatenate(more)


def _address(words: list[int]) -> Address:
    high, low, rest = words
    host = b"".join((word % (1 << 64)).to_bytes(8, "big") for word in (high, low))
    return (host if rest >> 16 == 6 else host[-4:]), rest & 0xFFFF


def _words_of(address: Address) -> list[int]:
    host, port = address
    version = 4 if len(host) == 4 else 6
    whole = host.rjust(16, b"\0")
    words = [int.from_bytes(part, "big", signed=True) for part in (whole[:8], whole[8:])]
    return [*words, version << 16 | port]


@compiled
def _number(data: Any, at: int, size: int) -> Any:
    found = 0
    for place in range(at, at + size):
        found = found << 8 | _int(data[place])
    return found


@compiled
def _among(numbers: Any, number: int) -> bool:
    found = False
    for one in numbers:
        found = found or one == number
    return found


@kept
def _pair_of(words: Any, table: Any, known: Any, count: Any, seed: int) -> Any:
    """Return the number of a pair, which has one afterwards."""
    place = seed
    for word in words:
        place = (place ^ word) * _FACTOR
        place ^= place >> 29
    place = place % len(table)
    while table[place] >= 0:
        pair, same = table[place], True
        for number in range(len(words)):
            same = same and known[pair, number] == words[number]
        if same:
            return pair
        place = (place + 1) % len(table)
    pair = count[0]
    table[place] = pair
    known[pair] = words
    count[0] = pair + 1
    return pair


@kept
def _segments(
    data: Any,
    all_packets: Any,
    found: Any,
    done: int,
    table: Any,
    known: Any,
    count: Any,
    seed: int,
) -> int:
    """Fill rows from some packet on; return how many are filled, all if there is room for pairs."""
    words = np.empty(2 * _ADDRESS, np.int64)
    for row in range(done, len(found)):
        if 2 * count[0] >= len(table):
            return row
        packet, said = all_packets[row], found[row]
        end = packet[packets.END]
        at = _inside(packet[packets.LINK], data, packet[packets.START], end)
        said[TIME], said[PACKET] = packet[packets.TIME], row
        said[PAIR] = _NOT_OURS if at >= end else _segment(data, at, end, said, words)
        if said[PAIR] >= 0:
            said[PAIR] = _pair_of(words, table, known, count, seed)
    return len(found)


@compiled
def _inside(link: int, data: Any, start: int, end: int) -> int:
    """Return where the datagram of a packet begins; its end if there is none."""
    if link == _ETHERNET:
        return _typed(data, start, start + 12, start + 14, end)
    if link == _COOKED:
        return _typed(data, start, start + 14, start + 16, end)
    if link == _COOKED2:
        return _typed(data, start, start, start + 20, end)
    if _among(_HEADED, link):
        return start + 4
    return start if _among(_BARE, link) else end


@compiled
def _typed(data: Any, start: int, type_at: int, begin: int, end: int) -> int:
    if type_at + 2 > end:
        return end
    kind = _number(data, type_at, 2)
    while _among(_VLAN, kind):
        if begin + 4 > end:
            return end
        kind = _number(data, begin + 2, 2)
        begin += 4
    return begin if kind in (_IPV4, _IPV6) else end


@compiled
def _segment(data: Any, at: int, end: int, said: Any, words: Any) -> int:
    """Fill the row of a datagram, and the words of its pair; return 0 if it is of TCP."""
    version = data[at] >> 4
    if version == 4:
        if at + 20 > end:
            return _NOT_OURS
        size, length = (_int(data[at]) & 15) * 4, _number(data, at + 2, 2)
        if size < 20 or _number(data, at + 6, 2) & 0x1FFF or data[at + 9] != _TCP:
            return _NOT_OURS
        source, target = _v4(data, at + 12), _v4(data, at + 16)
        return _tcp(
            data,
            at + size,
            min(end, at + length) if length else end,
            said,
            words,
            source,
            target,
            4,
        )
    if version != 6 or at + 40 > end:
        return _NOT_OURS
    if data[at + 6] != _TCP:
        return _RARE if _among(_EXTENSIONS, _int(data[at + 6])) else _NOT_OURS
    length = _number(data, at + 4, 2)
    source = _number(data, at + 8, 8), _number(data, at + 16, 8)
    target = _number(data, at + 24, 8), _number(data, at + 32, 8)
    end = min(end, at + 40 + length) if length else end
    return _tcp(data, at + 40, end, said, words, source, target, 6)


@compiled
def _v4(data: Any, at: int) -> Any:
    return 0, _number(data, at, 4)


@compiled
def _tcp(
    data: Any, at: int, end: int, said: Any, words: Any, source: Any, target: Any, version: int
) -> int:
    if at + _TCP_LEAST > end:
        return _NOT_OURS
    size = (_int(data[at + 12]) >> 4) * 4
    if size < _TCP_LEAST:
        return _NOT_OURS
    said[SEQ], said[ACK] = _number(data, at + 4, 4), _number(data, at + 8, 4)
    said[FLAGS] = _int(data[at + 13]) & _FLAGS
    said[DATA], said[UNTIL] = min(at + size, end), end
    sport = version << 16 | _number(data, at, 2)
    dport = version << 16 | _number(data, at + 2, 2)
    said[SIDE] = int((target[0], target[1], dport) < (source[0], source[1], sport))
    low = 3 * said[SIDE]
    words[low], words[low + 1], words[low + 2] = source[0], source[1], sport
    words[3 - low], words[4 - low], words[5 - low] = target[0], target[1], dport
    return 0
