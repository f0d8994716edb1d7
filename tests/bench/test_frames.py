"""What a broker says is cut into frames, whatever the pieces in which it comes."""

from __future__ import annotations

import pytest
from pamqp import commands, frame, header
from pamqp.body import ContentBody

from bench.rabbitmq.frames import Frame, Splitter, frame_of, settled

SAID = (
    commands.Basic.Ack(3, True),
    commands.Basic.Nack(5, False),
    commands.Channel.Close(406, "PRECONDITION_FAILED", 60, 40),
)
BYTES = b"".join(frame.marshal(one, 1) for one in SAID)


def kinds(splitter: Splitter, *pieces: bytes) -> list[str]:
    return [one.name for piece in pieces for one in splitter.feed(piece)]  # type: ignore[union-attr]


def test_frames_that_come_at_once_are_told_apart() -> None:
    assert kinds(Splitter(), BYTES) == ["Basic.Ack", "Basic.Nack", "Channel.Close"]


@pytest.mark.parametrize("size", [1, 2, 7, 20])
def test_frames_that_come_in_pieces_are_the_same(size: int) -> None:
    pieces = [BYTES[i : i + size] for i in range(0, len(BYTES), size)]
    assert kinds(Splitter(), *pieces) == ["Basic.Ack", "Basic.Nack", "Channel.Close"]


def test_half_a_frame_is_none() -> None:
    assert kinds(Splitter(), frame.marshal(SAID[0], 1)[:-1]) == []


def test_a_frame_without_its_end_is_refused() -> None:
    with pytest.raises(ValueError, match="does not end as frames do"):
        kinds(Splitter(), frame.marshal(SAID[0], 1)[:-1] + b"\0")


def test_another_protocol_is_refused() -> None:
    with pytest.raises(ValueError, match="speaks no 0-9-1"):
        kinds(Splitter(), b"AMQP\0\1\0\0")


def test_a_confirm_is_kept_with_its_tag_and_its_multiple() -> None:
    assert frame_of(SAID[0], 1.5) == Frame("ack", 3, True, 1.5)
    assert frame_of(SAID[1], 2.0) == Frame("nack", 5, False, 2.0)


def test_a_closing_channel_says_why() -> None:
    kept = frame_of(SAID[2], 0.0)
    assert str(kept) == "Channel.Close 406 PRECONDITION_FAILED"


def test_what_belongs_to_a_returned_message_is_not_a_frame_of_its_own() -> None:
    assert frame_of(header.ContentHeader(0, 5), 0.0) is None
    assert frame_of(ContentBody(b"hello"), 0.0) is None


def test_an_ack_for_several_settles_those_that_nobody_settled_before() -> None:
    frames = (Frame("nack", 2), Frame("ack", 3, multiple=True))
    assert settled(frames, 4) == {1: "ack", 2: "nack", 3: "ack"}


def test_a_single_ack_settles_one() -> None:
    assert settled([Frame("ack", 3)], 3) == {3: "ack"}


def test_tag_zero_speaks_of_everything() -> None:
    assert settled([Frame("nack", 0, multiple=True)], 2) == {1: "nack", 2: "nack"}


def test_a_frame_reads_as_it_is_spoken_of() -> None:
    assert str(Frame("ack", 150, multiple=True)) == "ack 150 multiple"
    assert str(Frame("nack", 1)) == "nack 1"
