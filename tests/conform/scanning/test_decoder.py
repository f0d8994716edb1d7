"""The decoder of columns finds what the decoder of events finds, event by event."""

from __future__ import annotations

from random import Random
from typing import TypeVar

from ackproof.conform.capture.overhearing import Decoder
from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging.texts import HERE
from ackproof.conform.scanning.decoder import ColumnDecoder, Common
from ackproof.conform.scanning.sheet import Sheet
from ackproof.impl.wire.frames import PROTOCOL_HEADER, encode_method
from pamqp import commands

from tests.conform.scanning.chatter import said_by, same, spoiled
from tests.exploring import chance, examples

KEY = b"a key"
T = TypeVar("T")


class Both:
    """The two decoders, which are told the same."""

    def __init__(self, key: bytes = KEY) -> None:
        self.common = Common(key, HERE)
        self.common.page = Sheet.new(1)  # so that room is made in every place
        self.plain = ConnectionDecoder("c", key)
        self.columns = ColumnDecoder(self.common, "c")
        self.events: list[Event] = []
        self._time = 0.0

    def hear(self, side: int, data: bytes) -> None:
        """Bytes of a side."""
        self._time += 1.5
        self.events += _heard(self.plain, side, data, self._time)
        _heard(self.columns, side, data, self._time)
        assert self.common.rows == len(self.events)
        assert (self.plain.problem is None) == (self.columns.problem is None)
        assert self.plain.begun == self.columns.begun

    def gap(self) -> None:
        """Something is missing."""
        self.events += self.plain.gap(self._time)
        self.columns.gap(self._time)

    def resume(self, side: int) -> None:
        """Bytes of a side are missing up to here."""
        self.plain.resume(side == 0)
        self.columns.resume(side == 0)

    def check(self) -> None:
        """Both have found the same."""
        same(self.common.columns(), self.events)


def _heard(decoder: Decoder[T], side: int, data: bytes, time: float) -> list[T]:
    return (decoder.from_broker if side else decoder.from_client)(data, time)


def pieces(rng: Random, data: bytes) -> list[bytes]:
    """Bytes cut anywhere."""
    most, found = rng.choice([3, 30, 300, 5000]), []
    while data:
        size = rng.randrange(1, most)
        found.append(data[:size])
        data = data[size:]
    return found


def test_what_is_said_becomes_the_same_events_however_it_is_cut() -> None:
    kinds: set[str] = set()
    for seed in range(examples(60)):
        rng, both = chance("said", seed), Both()
        lines = [pieces(rng, said_by(rng, side, rng.randrange(40))) for side in (0, 1)]
        lines[0] = [PROTOCOL_HEADER[:3], PROTOCOL_HEADER[3:], *lines[0]]
        while any(lines):
            side = rng.choice([side for side in (0, 1) if lines[side]])
            both.hear(side, lines[side].pop(0))
            if rng.random() < 0.02:
                both.gap()
        assert both.plain.problem is None
        both.check()
        kinds |= {event.kind for event in both.events}
    assert kinds == set(Kind)


def test_what_is_broken_is_broken_for_both_and_both_go_on_behind_it() -> None:
    problems = 0
    for seed in range(examples(150)):
        rng, both = chance("broken", seed), Both()
        both.hear(0, PROTOCOL_HEADER)
        for _ in range(4):
            side = rng.randrange(2)
            data = said_by(rng, side, 12)
            for piece in pieces(rng, spoiled(rng, data) if rng.random() < 0.6 else data):
                both.hear(side, piece)
            # Where one side is not understood, both are joined anew, as `Overheard` does.
            broken = both.plain.problem is not None
            problems += broken
            for other in (0, 1):
                if broken or rng.random() < 0.3:
                    both.gap()
                    both.resume(other)
        both.check()
    assert problems > 50


def test_a_content_without_its_method_is_passed_over_after_a_loss() -> None:
    for seed in range(examples(60)):
        rng, both = chance("lost", seed), Both()
        both.hear(0, PROTOCOL_HEADER)
        for _ in range(6):
            side = rng.randrange(2)
            data, at, places = said_by(rng, side, 8), 0, [0]
            while at < len(data):
                at += 8 + int.from_bytes(data[at + 3 : at + 7], "big")
                places.append(at)
            first = rng.choice(places)
            both.resume(side)
            both.hear(side, data[first : rng.choice(places)] or data[first:])
        both.check()


def test_what_does_not_begin_as_the_protocol_does_is_not_decoded() -> None:
    for begin in (b"GET / HTTP/1.1\r\n", b"AMQP\x01", b"AMQP\x00\x00\x09\x01", b"AM"):
        both = Both()
        for byte in begin:
            both.hear(0, bytes([byte]))
        both.hear(0, encode_method(commands.Channel.Open(), 1))
        both.check()


def test_there_may_be_any_number_of_channels_and_names() -> None:
    both = Both(b"")
    both.hear(0, PROTOCOL_HEADER)
    for number in range(1, 400):
        both.hear(1, encode_method(commands.Basic.ConsumeOk(f"c{number}"), number))
        deliver = commands.Basic.Deliver(f"c{number}", 1, False, "", "q")
        both.hear(1, encode_method(deliver, number))
        both.hear(
            1, b"\x02" + number.to_bytes(2, "big") + b"\0\0\0\x0e\0\x3c" + bytes(12) + b"\xce"
        )
    both.gap()
    assert len(both.events) == 3 * 399
    both.check()
