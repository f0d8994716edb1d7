"""Overhearing: what is concluded of both sides where bytes of one are missing."""

from __future__ import annotations

from ackproof.conform.capture.conversation import Lost, Piece
from ackproof.conform.capture.overhearing import Overheard
from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event, Kind
from ackproof.conform.judgement import Judgement
from ackproof.impl.wire.frames import FRAME_MAX, PROTOCOL_HEADER, encode_content, encode_method
from pamqp import base, commands, header

CLIENT, BROKER = 0, 1
KEY = b"key"


class Line:
    """A connection in which everything is seen as it is said, but for what is not seen at all."""

    def __init__(self, expected: bool = True) -> None:
        self.heard = Overheard(ConnectionDecoder("c", KEY), CLIENT, expected)
        self.events: list[Event] = []
        self._place = [0, 0]

    def bytes_of(self, side: int, data: bytes, unseen: bool = False) -> None:
        """A side says some bytes, having received all that the other has said."""
        place, received = self._place[side], self._place[1 - side]
        self._place[side] += len(data)
        if not unseen:
            self.events += self.heard.take(Piece(side, place, received, 1.0, data))

    def says(self, side: int, *methods: base.Frame, unseen: bool = False) -> None:
        """A side says methods on channel 1."""
        self.bytes_of(side, b"".join(encode_method(m, 1) for m in methods), unseen)

    def lose(self, side: int) -> None:
        """What was unseen is found to be missing."""
        self.events += self.heard.take(Lost(side, self._place[side]))

    def end(self) -> Judgement:
        """The connection has ended: what is found in it."""
        self.events += self.heard.finish()
        judgement = Judgement()
        for event in self.events:
            judgement.take(event)
        return judgement

    def kinds(self) -> list[str]:
        """What was made of it, without gaps."""
        return [event.kind for event in self.events if event.kind != Kind.GAP]


def opened() -> Line:
    """A channel in confirm mode."""
    line = Line()
    line.bytes_of(CLIENT, PROTOCOL_HEADER)
    line.says(CLIENT, commands.Channel.Open(), commands.Confirm.Select())
    line.says(BROKER, commands.Channel.OpenOk(), commands.Confirm.SelectOk())
    return line


def message(body: bytes) -> bytes:
    """The content of a message."""
    said = header.ContentHeader(0, len(body), commands.Basic.Properties()).marshal()
    return encode_content(said, body, 1, FRAME_MAX)


def test_answers_to_what_was_lost_are_no_violation() -> None:
    line = opened()
    line.says(CLIENT, commands.Channel.Close(200, "", 0, 0), unseen=True)
    replies = [commands.Channel.CloseOk(), commands.Channel.OpenOk(), commands.Confirm.SelectOk()]
    asked = [commands.Channel.Open(), commands.Confirm.Select()]
    held = []
    for reply, request in zip(replies, [*asked, None], strict=True):
        held.append((line._place[BROKER], line._place[CLIENT], encode_method(reply, 1)))
        line._place[BROKER] += len(held[-1][2])
        if request is not None:
            line.says(CLIENT, request, unseen=True)
    line.lose(CLIENT)
    line.says(CLIENT, commands.Basic.Ack(7))
    for place, received, data in held:
        line.events += line.heard.take(Piece(BROKER, place, received, 1.0, data))
    judgement = line.end()
    assert judgement.violations == []
    assert judgement.gaps > 0
    assert line.kinds()[4:] == ["ConsumerAck", "CloseOk", "OpenOk", "SelectOk"]


def test_requests_whose_answers_were_lost_make_no_violation() -> None:
    line = Line()
    line.bytes_of(CLIENT, PROTOCOL_HEADER)
    line.says(BROKER, commands.Basic.Deliver("c", 1, False, "", "q"), unseen=True)
    line.lose(BROKER)
    line.says(CLIENT, commands.Channel.Open(), commands.Confirm.Select())
    line.bytes_of(BROKER, b"\x00the last bytes of an answer" + bytes([0xCE]))
    line.says(BROKER, commands.Confirm.SelectOk())
    assert line.end().violations == []
    assert line.kinds() == ["Open", "Select", "SelectOk"]


def test_a_side_is_not_joined_within_a_body() -> None:
    inner = b"".join(encode_method(commands.Basic.Ack(n), 1) for n in (1, 1))
    body = b"not a frame, then" + inner + bytes(100)
    line = opened()
    line.bytes_of(
        BROKER, encode_method(commands.Basic.Deliver("c", 1, False, "", "q"), 1), unseen=True
    )
    whole = message(body)
    start = whole.index(inner)
    line.bytes_of(BROKER, whole[:start], unseen=True)
    line.lose(BROKER)
    line.bytes_of(BROKER, whole[start : start + len(inner)])
    line.bytes_of(BROKER, whole[start + len(inner) :])
    line.says(BROKER, commands.Basic.Ack(2), commands.Basic.Ack(3))
    judgement = line.end()
    assert judgement.violations == []
    assert [e.tag for e in line.events if e.kind == Kind.ACK] == [2, 3]


def test_a_content_whose_method_is_missing_is_passed_over() -> None:
    line = opened()
    line.bytes_of(CLIENT, encode_method(commands.Basic.Publish(0, "", "lost"), 1), unseen=True)
    line.lose(CLIENT)
    line.bytes_of(CLIENT, message(b"lost"))
    line.bytes_of(CLIENT, encode_method(commands.Basic.Publish(0, "", "seen"), 1) + message(b"it"))
    line.end()
    assert [e.key for e in line.events if e.kind == Kind.PUBLISH] == ["seen"]


def test_of_a_content_that_is_not_complete_nothing_is_told() -> None:
    line = opened()
    line.bytes_of(CLIENT, encode_method(commands.Basic.Publish(0, "", "half"), 1))
    line.bytes_of(CLIENT, message(b"half"), unseen=True)
    line.lose(CLIENT)
    line.bytes_of(CLIENT, encode_method(commands.Basic.Publish(0, "", "seen"), 1) + message(b"it"))
    line.end()
    assert [e.key for e in line.events if e.kind == Kind.PUBLISH] == ["seen"]


def test_bytes_that_are_damaged_are_a_gap_and_what_follows_is_understood() -> None:
    line = opened()
    line.bytes_of(BROKER, b"\x01\x00\x01\x00\x00\x00\x01xx")
    line.says(CLIENT, commands.Channel.Open())
    line.says(BROKER, commands.Channel.OpenOk(), commands.Basic.Ack(9))
    judgement = line.end()
    assert line.kinds()[4:] == ["Open", "OpenOk", "Ack"]
    assert judgement.gaps > 0


def test_both_sides_are_held_back_so_that_they_stay_in_order() -> None:
    line = opened()
    line.says(BROKER, commands.Basic.Cancel("c"), unseen=True)
    line.lose(BROKER)
    for tag in (1, 2):
        line.says(CLIENT, commands.Basic.Nack(tag))
        line.says(BROKER, commands.Basic.Ack(tag))
    assert line.kinds()[4:] == []
    line.end()
    assert line.kinds()[4:] == ["ConsumerReject", "Ack"] * 2


def test_no_more_is_held_back_than_there_is_room_for() -> None:
    line = opened()
    line.says(BROKER, commands.Basic.Cancel("c"), unseen=True)
    line.lose(BROKER)
    line.says(BROKER, commands.Basic.Ack(1))
    publish = encode_method(commands.Basic.Publish(0, "", "q"), 1) + message(bytes(100_000))
    for _ in range(200):
        line.bytes_of(CLIENT, publish)
    assert line.kinds().count(Kind.PUBLISH) > 100
    assert line.kinds()[4] == Kind.ACK


def test_a_side_that_has_said_nothing_since_its_loss_makes_nothing_vague() -> None:
    line = Line()
    line.lose(CLIENT)
    line.lose(BROKER)
    for _ in range(5):
        line.bytes_of(CLIENT, encode_method(commands.Basic.Publish(0, "", "q"), 1) + message(b"m"))
    assert line.end().gaps == 1  # the beginning of the channel
    assert line.kinds() == ["Publish"] * 5
