"""Packets and segments: what compiled code finds is what Python finds, damage included."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import numpy as np
import pytest
from ackproof.conform.capture.files import Packet, packets
from ackproof.conform.capture.segments import Segment, segment_of
from ackproof.conform.scanning import packets as found_in
from ackproof.conform.scanning.packets import pieces_of
from ackproof.conform.scanning.segments import Pairs
from ackproof.conform.schema import RecordingError

from tests.conform.capture.test_files import block, interface, option, packet, section
from tests.conform.capture.wires import Sent, link_of
from tests.exploring import chance, examples

LINKS = [0, 1, 12, 101, 108, 113, 276, 99]


def found(path: Path) -> tuple[list[Packet], str]:
    """The packets that compiled code finds, and what it says of damage."""
    packets_: list[Packet] = []
    try:
        for piece in pieces_of(path):
            for row in piece.packets:
                data = piece.data[row[found_in.START] : row[found_in.END]].tobytes()
                time = float(row[found_in.TIME].view(np.float64))
                packets_.append(Packet(time, int(row[found_in.LINK]), data))
    except RecordingError as error:
        return packets_, str(error)
    return packets_, ""


def wanted(path: Path) -> tuple[list[Packet], str]:
    """Those that Python finds."""
    packets_: list[Packet] = []
    try:
        for one in packets(path):
            packets_.append(one)
    except RecordingError as error:
        return packets_, str(error)
    return packets_, ""


def pcap(rng: Random) -> bytes:
    """A file of pcap, of either order and either division of seconds."""
    order, ticks = rng.choice("<>"), rng.choice([10**6, 10**9])
    magic = {10**6: 0xA1B2C3D4, 10**9: 0xA1B23C4D}[ticks]
    said = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, rng.choice(LINKS))
    for _ in range(rng.randrange(30)):
        data = rng.randbytes(rng.choice([0, 1, 60, 1500]))
        when = rng.choice([0, 5, 1_700_000_000, 2**32 - 1]), rng.randrange(ticks)
        said += struct.pack(order + "IIII", *when, len(data), 2000) + data
    return said


def pcapng(rng: Random) -> bytes:
    """A file of pcapng, of any sections, interfaces and blocks."""
    said = b""
    for _ in range(rng.randrange(1, 3)):
        order = rng.choice("<>")
        said += section(order)
        interfaces = rng.randrange(1, 3)
        for _ in range(interfaces):
            resolution = option(order, 9, bytes([rng.choice([6, 9, 3, 0x8A, 12])]))
            offset = option(order, 14, struct.pack(order + "q", rng.choice([0, 7, -3])))
            said += interface(order, rng.choice(LINKS), rng.choice([b"", resolution + offset]))
        for _ in range(rng.randrange(12)):
            data = rng.randbytes(rng.choice([0, 3, 60, 1500]))
            how = rng.random()
            if how < 0.8:
                ticks = rng.choice([5, 1_700_000_000_123_456, 1_700_000_000_123_456_789])
                kind = 2 if rng.random() < 0.1 else 6
                said += packet(order, rng.randrange(interfaces), ticks, data, kind)
            else:
                said += block(order, rng.choice([3, 4, 5]), struct.pack(order + "I", 40) + data)
    return said


@pytest.mark.parametrize("form", [pcap, pcapng])
def test_packets_are_found_and_damage_is_said_with_its_place(
    form: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(found_in, "_TOGETHER", 700)
    monkeypatch.setattr(found_in, "_MOST", 5)
    path, damaged = tmp_path / "a.pcap", 0
    for seed in range(examples(400)):
        rng = chance("packets", form.__name__, seed)  # type: ignore[attr-defined]
        data = bytearray(form(rng))  # type: ignore[operator]
        for _ in range(rng.choice([0, 0, 1, 3])):
            data[rng.randrange(24, max(len(data), 25)) % len(data)] = rng.randrange(256)
        if rng.random() < 0.3:
            del data[rng.randrange(4, len(data) + 1) :]
        path.write_bytes(data)
        assert found(path) == wanted(path)
        damaged += found(path)[1] != ""
    assert damaged > 5


def heard(path: Path) -> list[Segment]:
    """The segments that compiled code finds."""
    pairs, segments = Pairs(), []
    for piece in pieces_of(path):
        rows = pairs.rows(piece)
        segments += [pairs.segment(rows, row) for row in range(len(rows.numbers))]
    return segments


@pytest.mark.parametrize("link", LINKS)
def test_segments_are_those_of_the_library_that_takes_packets_apart(
    link: int, tmp_path: Path
) -> None:
    rng, path, several = chance("segments", link), tmp_path / "a.pcap", 0
    said = bytearray(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link))
    for _ in range(examples(600)):
        data = bytearray(_datagram(rng))
        for _ in range(rng.choice([0, 0, 1, 2])):
            data[rng.randrange(min(len(data), 60))] = rng.randrange(256)
        whole = link_of(link, bytes(data), tuple(range(rng.choice([0, 0, 1, 2]))))
        whole = whole[: rng.choice([len(whole), rng.randrange(len(whole) + 1)])]
        said += struct.pack("<IIII", 5, 0, len(whole), len(whole)) + whole
    path.write_bytes(said)
    segments = [segment_of(one) for one in packets(path)]
    assert heard(path) == [segment for segment in segments if segment is not None]
    several = sum(segment is not None for segment in segments)
    assert (several > 100) == (link != 99)


def _datagram(rng: Random) -> bytes:
    """A datagram of TCP between some addresses, sometimes with options or padding."""
    v6 = rng.random() < 0.4
    ports = rng.choice([40_000, 40_001, 5672]), rng.choice([5672, 7000])
    sent = Sent(
        rng.randrange(2),
        rng.randrange(2**32),
        rng.randrange(2**32),
        rng.randbytes(rng.randrange(40)),
        rng.choice([16, 24, 2, 18, 17, 4]),
        ports,
        v6,
    )
    data = sent.datagram()
    if v6 and rng.random() < 0.2:
        extension = bytes([6, 0, 1, 4, 0, 0, 0, 0])
        length = struct.pack(">H", int.from_bytes(data[4:6], "big") + 8)
        data = (
            data[:4]
            + length
            + bytes([rng.choice([0, 60, 43])])
            + data[7:40]
            + extension
            + data[40:]
        )
    return data + bytes(rng.choice([0, 0, 6]))


def test_there_may_be_any_number_of_pairs(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    said = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    for number in range(1, 3000):
        data = Sent(number % 2, number, 7, ports=(number, 5672)).datagram()
        said += struct.pack("<IIII", 5, 0, len(data), len(data)) + data
    path.write_bytes(said)
    segments = heard(path)
    assert [segment.seq for segment in segments] == list(range(1, 3000))
    assert len({min(s.source, s.target) for s in segments}) == 2999
