"""Segments: the same, whatever a packet came in, and nothing of what is no TCP."""

from __future__ import annotations

import pytest
from ackproof.conform.capture.files import Packet
from ackproof.conform.capture.segments import Segment, named, segment_of
from hypothesis import given
from hypothesis import strategies as st

from tests.conform.capture.wires import Sent, link_of

LINKS = [0, 1, 12, 14, 101, 108, 113, 276]
SENT = Sent(1, 2**32 - 1, 7, b"data", 0x18)


def heard(data: bytes, link: int) -> Segment | None:
    """What a packet says."""
    return segment_of(Packet(5.0, link, data))


def addressed(v6: bool) -> tuple[tuple[bytes, int], tuple[bytes, int]]:
    """The addresses of the broker and the client."""
    hosts = [b"\xfd" + bytes(14) + bytes([n]) if v6 else bytes([10, 0, 0, n]) for n in (2, 1)]
    return (hosts[0], 5672), (hosts[1], 40_000)


@pytest.mark.parametrize("v6", [False, True])
@pytest.mark.parametrize("link", LINKS)
def test_a_segment_is_the_same_on_every_link(link: int, v6: bool) -> None:
    sent = Sent(1, 2**32 - 1, 7, b"data", 0x18, v6=v6)
    source, target = addressed(v6)
    wanted = Segment(5.0, source, target, 2**32 - 1, 7, False, False, b"data")
    assert heard(link_of(link, sent.datagram()), link) == wanted


@pytest.mark.parametrize("vlans", [(5,), (5, 6), (5, 6, 7)])
@pytest.mark.parametrize("link", [1, 113, 276])
def test_vlans_make_no_difference(link: int, vlans: tuple[int, ...]) -> None:
    tagged = heard(link_of(link, SENT.datagram(), vlans), link)
    assert tagged == heard(link_of(link, SENT.datagram()), link) is not None


def test_what_pads_a_short_packet_is_no_data() -> None:
    padded = heard(link_of(1, Sent(0, 1, 1).datagram()) + bytes(20), 1)
    assert padded is not None
    assert padded.data == b""


def test_of_a_packet_that_was_kept_in_part_the_first_bytes_are_there() -> None:
    part = heard(link_of(1, SENT.datagram())[:-3], 1)
    assert part is not None
    assert part.data == b"d"


def test_flags_say_where_a_side_begins_and_ends_and_what_an_ack_is_worth() -> None:
    begin, end = (
        heard(Sent(0, 1, 9, flags=2).datagram(), 101),
        heard(Sent(0, 1, 9, flags=17).datagram(), 101),
    )
    assert begin is not None
    assert end is not None
    assert (begin.begins, begin.ends, begin.ack) == (True, False, None)
    assert (end.begins, end.ends, end.ack) == (False, True, 9)


def test_what_is_no_tcp_says_nothing() -> None:
    datagram = SENT.datagram()
    udp = datagram[:9] + b"\x11" + datagram[10:]
    later = datagram[:6] + b"\x00\x10" + datagram[8:]
    arp = bytes(12) + b"\x08\x06" + datagram
    for link, data in [(101, udp), (101, later), (1, arp), (1, b""), (113, b"\0"), (999, datagram)]:
        assert heard(data, link) is None


@given(st.sampled_from(LINKS), st.booleans(), st.binary(max_size=60), st.integers(0, 60))
def test_no_packet_is_an_error(link: int, v6: bool, data: bytes, place: int) -> None:
    whole = link_of(link, Sent(0, 1, 1, b"data", v6=v6).datagram())
    heard(data, link)
    heard(whole[:place] + data + whole[place + len(data) :], link)


def test_addresses_are_written_as_people_do() -> None:
    assert named((bytes([10, 0, 0, 2]), 5672)) == "10.0.0.2:5672"
    assert named((b"\xfd" + bytes(14) + b"\x01", 1)) == "[fd00::1]:1"


@pytest.mark.parametrize("v6", [False, True])
def test_a_packet_that_the_card_would_have_cut_says_no_length(v6: bool) -> None:
    short = Sent(1, 1, 1, b"data", v6=v6).datagram()
    at = 4 if v6 else 2
    found = heard(short[:at] + b"\0\0" + short[at + 2 :], 101)
    assert found is not None
    assert found.data == b"data"
