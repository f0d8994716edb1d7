"""Boundaries: from any byte on the next frame is found, and nothing in a body is taken for one."""

from __future__ import annotations

from ackproof.conform.capture.boundaries import Boundary
from ackproof.impl.wire.frames import FRAME_MAX, encode_content, encode_heartbeat, encode_method
from pamqp import commands, header

from tests.exploring import chance, examples


def content(body: bytes) -> bytes:
    """A publish with a body."""
    said = header.ContentHeader(0, len(body), commands.Basic.Properties(message_id="m")).marshal()
    publish = encode_method(commands.Basic.Publish(0, "x", "k"), 1)
    return publish + encode_content(said, body, 1, FRAME_MAX)


def starts(stream: bytes) -> list[int]:
    """Where frames begin."""
    found, place = [], 0
    while place < len(stream):
        found.append(place)
        place += 8 + int.from_bytes(stream[place + 3 : place + 7], "big")
    return found


STREAM = b"".join(
    content(bytes([n]) * n * 7) + encode_heartbeat() + encode_method(commands.Basic.Ack(n), 2)
    for n in range(30)
)


def test_the_next_frame_is_found_from_every_byte() -> None:
    begins = starts(STREAM)
    last = begins[-1]
    for place in range(last):
        boundary = Boundary(1000 + place)
        assert boundary.feed(STREAM[place:]) is None  # a body might go on for longer
        assert boundary.best() == 1000 + min(b for b in begins if b >= place)


def test_it_is_certain_as_soon_as_the_chain_is_longer_than_any_frame() -> None:
    many = STREAM * (FRAME_MAX // len(STREAM) + 2)
    boundary, place, found = Boundary(7), 3, None
    while found is None:
        found = boundary.feed(many[place : place + 100])
        place += 100
    assert found == 7 + starts(STREAM)[1] - 3
    assert FRAME_MAX < place < FRAME_MAX + 1000


def test_what_looks_like_frames_in_a_body_is_not_taken_for_frames() -> None:
    inner = STREAM
    stream = content(inner) + STREAM
    inside = stream.index(inner) + 5
    boundary = Boundary(0)
    boundary.feed(stream[inside:])
    assert boundary.best() == stream.index(inner) + len(inner) + 1 - inside


def test_where_there_is_no_whole_frame_there_is_no_boundary() -> None:
    for data in (b"", b"\x01\x00", STREAM[:10], bytes(1000), b"\xce" * 50):
        boundary = Boundary(0)
        boundary.feed(data)
        assert boundary.best() is None


def test_how_the_bytes_are_cut_makes_no_difference() -> None:
    random = chance("boundaries")
    begins = starts(STREAM)
    for _ in range(examples(50)):
        place = random.randrange(begins[-1])
        boundary, at = Boundary(place), place
        while at < len(STREAM):
            size = random.randrange(1, 40)
            boundary.feed(STREAM[at : at + size])
            at += size
        assert boundary.best() == min(b for b in begins if b >= place)


def test_a_frame_has_its_mark_at_its_end() -> None:
    almost = b"\x03\x00\x01\x00\x00\x00\x02ab\x00"
    boundary = Boundary(0)
    boundary.feed(almost + STREAM)
    assert boundary.best() == len(almost)


def test_a_frame_is_one_that_the_protocol_has() -> None:
    for none in (
        b"\x01\x00\x01\x00\x00\x00\x04\x00\x63\x00\x01\xce",
        b"\x02\x00\x01\x00\x00\x00\x0e\x00\x14" + bytes(12) + b"\xce",
        b"\x08\x00\x01\x00\x00\x00\x00\xce",
    ):
        boundary = Boundary(0)
        boundary.feed(none + STREAM)
        assert boundary.best() == len(none)
