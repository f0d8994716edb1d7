"""Segments are the events that were read, channel by channel, wherever they are read again."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from ackproof.conform.columns import columns_of
from ackproof.conform.events import Event
from ackproof.conform.judging import stream
from ackproof.conform.judging.texts import Numbering
from ackproof.pipeline.audit import segments
from ackproof.pipeline.audit.segments import Segments, segments_of
from msgspec.json import decode

from tests.conform.test_columns import conversation
from tests.exploring import chance, examples

#: What a violation says of an event.
SAID = ("kind", "connection", "channel", "number", "tag", "consumer")


def said(event: Event) -> tuple[object, ...]:
    """What is said of an event."""
    return tuple(getattr(event, name) for name in SAID)


@pytest.mark.parametrize("most", [3, 1 << 14])
def test_what_was_read_travels_by_channel_and_in_order(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_MOST", most)
    rng = chance("segments")
    for _ in range(examples(10)):
        events = conversation(rng)
        places = 7 * np.arange(len(events)) + 3
        columns = columns_of(events)
        sent = list(segments_of(places, columns))
        got, start, arrived = Segments([segment.events for segment in sent]), 0, []
        for segment, end in zip(sent, got.ends, strict=True):
            assert 0 < end - start <= most
            assert got.places[start] == segment.first
            names = dict(decode(segment.names, type=list[tuple[int, str]]))
            for row in range(start, end):
                at = (int(got.places[row]) - 3) // 7
                event = events[at]
                there = got.event(row, segment.connection, segment.channel, names)
                assert said(there) == said(event)
                assert got.numbers[stream.LOW, row] == columns.numbers[stream.LOW, at]
                arrived.append(event)
            start = end
        assert sorted(map(said, arrived)) == sorted(map(said, events))
        for channel in {(event.connection, event.channel) for event in events}:
            own = [
                [e for e in some if (e.connection, e.channel) == channel]
                for some in (arrived, events)
            ]
            assert own[0] == own[1]


def test_texts_have_the_same_numbers_in_all_processes_with_one_seed() -> None:
    code = (
        "from ackproof.conform.judging.texts import *\n"
        "known = Numbering(bytes(range(16)))\n"
        "print(known.of(['a', '', 'é']), known.pairs(joined(['m']), joined(['d'])).tolist())"
    )
    ran = [subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(2)]
    assert ran[0] == ran[1]
    assert "'': 0" in ran[0]


def test_columns_with_another_seed_have_other_numbers() -> None:
    events = [Event("Publish", message="m", digest="d", consumer="c", key="k")]
    one, other = (columns_of(events, Numbering(bytes([n] * 16))).numbers for n in (1, 2))
    differ = {column for column in range(stream.COLUMNS) if one[column, 0] != other[column, 0]}
    assert differ == {stream.CONSUMER, stream.IDENTITY, stream.LOW, stream.HIGH}
