"""Files of packets: every variant says the same, and damage is said with its place."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from ackproof.conform.capture.files import Packet, is_capture, packets
from ackproof.conform.schema import RecordingError
from hypothesis import given
from hypothesis import strategies as st

_TIME = 1_700_000_000.25
_FIRST, _SECOND = b"a first packet", b"a second"
WANTED = [Packet(_TIME, 1, _FIRST), Packet(_TIME + 1, 113, _SECOND)]


def pcap(order: str, ticks: int, link: int = 1) -> bytes:
    """Both packets, of one link, as pcap."""
    magic = {10**6: 0xA1B2C3D4, 10**9: 0xA1B23C4D}[ticks]
    said = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for packet in WANTED:
        part = round(packet.time % 1 * ticks)
        said += struct.pack(order + "IIII", int(packet.time), part, len(packet.data), 2000)
        said += packet.data
    return said


def block(order: str, kind: int, body: bytes) -> bytes:
    """A block of pcapng."""
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def section(order: str) -> bytes:
    """The beginning of a section."""
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(order: str, link: int, options: bytes = b"") -> bytes:
    """An interface, with options."""
    return block(order, 1, struct.pack(order + "HHI", link, 0, 0) + options)


def option(order: str, code: int, value: bytes) -> bytes:
    """An option of a block."""
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def packet(order: str, number: int, ticks: int, data: bytes, kind: int = 6) -> bytes:
    """A packet of an interface."""
    begin = struct.pack(
        order + ("I" if kind == 6 else "HH"), *([number] if kind == 6 else [number, 0])
    )
    time = struct.pack(order + "II", ticks >> 32, ticks & 0xFFFFFFFF)
    return block(order, kind, begin + time + struct.pack(order + "II", len(data), 2000) + data)


def pcapng(order: str, kind: int = 6) -> bytes:
    """Both packets, of two interfaces with clocks of their own, among what is no packet."""
    nanoseconds = option(order, 2, b"eth0") + option(order, 9, b"\x09") + option(order, 0, b"")
    quarters = option(order, 9, b"\x82") + option(order, 14, struct.pack(order + "q", 1000))
    return b"".join(
        [
            section(order),
            block(order, 0xBAD, b"somebody's own"),
            interface(order, 1, nanoseconds),
            interface(order, 113, quarters),
            packet(order, 0, int(_TIME * 4) * 10**9 // 4, _FIRST, kind),
            packet(order, 1, int((_TIME + 1 - 1000) * 4), _SECOND, kind),
        ]
    )


def read(path: Path, data: bytes) -> list[Packet]:
    """The packets of a file with this in it."""
    path.write_bytes(data)
    return list(packets(path))


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("ticks", [10**6, 10**9])
def test_pcap_in_any_order_of_bytes_says_the_same(tmp_path: Path, order: str, ticks: int) -> None:
    found = read(tmp_path / "a.pcap", pcap(order, ticks))
    assert found == [p._replace(link=1) for p in WANTED]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", [2, 6])
def test_interfaces_of_pcapng_have_links_and_clocks_of_their_own(
    tmp_path: Path, order: str, kind: int
) -> None:
    assert read(tmp_path / "a.pcapng", pcapng(order, kind)) == WANTED


def test_a_section_forgets_the_interfaces_and_the_order_of_the_one_before(tmp_path: Path) -> None:
    assert read(tmp_path / "a.pcapng", pcapng("<") + pcapng(">")) == WANTED * 2
    other = section(">") + interface(">", 101) + packet(">", 0, 5 * 10**6, _FIRST)
    found = read(tmp_path / "a.pcapng", pcapng("<") + other)
    assert found == [*WANTED, Packet(5.0, 101, _FIRST)]


def test_a_packet_without_a_time_is_one_of_the_first_interface(tmp_path: Path) -> None:
    simple = block("<", 3, struct.pack("<I", len(_FIRST)) + _FIRST)
    found = read(tmp_path / "a.pcapng", section("<") + interface("<", 101) + simple)
    assert found == [Packet(0.0, 101, _FIRST)]


@pytest.mark.parametrize("data", [pcap("<", 10**6), pcapng("<")])
def test_a_file_that_was_cut_off_is_read_up_to_there(tmp_path: Path, data: bytes) -> None:
    whole = read(tmp_path / "a.pcap", data)
    for length in range(4, len(data)):
        found = read(tmp_path / "a.pcap", data[:length])
        assert found == whole[: len(found)]
        assert len(found) < 2


def test_a_capture_is_known_by_its_name_or_by_its_first_bytes(tmp_path: Path) -> None:
    for name, data, wanted in [
        ("a.pcap", b"", True),
        ("a.cap", b"nothing", True),
        ("a", pcap(">", 10**9), True),
        ("b", pcapng("<"), True),
        ("a.jsonl", b'{"format":', False),
    ]:
        (tmp_path / name).write_bytes(data)
        assert is_capture(tmp_path / name) == wanted


DAMAGED = [
    (pcap("<", 10**6)[:24] + struct.pack("<IIII", 1, 1, 1 << 30, 1), "at byte 24: a packet of 1,0"),
    (pcap("<", 10**6)[:24] + struct.pack("<IIII", 1, 10**6, 1, 1), "at byte 24: the time 1000000/"),
    (pcapng("<")[:28] + struct.pack("<III", 1, 8, 0), "at byte 28: a block of 8 bytes cannot be"),
    (pcapng("<")[:24] + bytes(4), "at byte 0: a block ends with another length"),
    (b"\x0a\x0d\x0d\x0a" + bytes(8), "at byte 0: a section of no order of bytes"),
    (section("<") + packet("<", 3, 0, b""), "at byte 28: a block cannot be read"),
    (section("<") + block("<", 1, b""), "at byte 28: a block cannot be read"),
    (b"\x1f\x8b\x08", "this is no capture in pcap or pcapng; decompress it"),
]


@pytest.mark.parametrize(("data", "said"), DAMAGED)
def test_what_cannot_be_is_said_with_its_place(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(RecordingError) as raised:
        read(tmp_path / "a.pcap", data)
    assert str(raised.value).startswith(f"{tmp_path / 'a.pcap'}: {said}")


@given(st.sampled_from([pcap("<", 10**6), pcapng("<"), pcapng(">")]), st.data())
def test_any_damage_is_read_or_said(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, draw: st.DataObject
) -> None:
    spoilt = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 4))):
        spoilt[draw.draw(st.integers(4, len(data) - 1))] = draw.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "spoilt.pcap"
    with suppress(RecordingError):
        read(path, bytes(spoilt))
