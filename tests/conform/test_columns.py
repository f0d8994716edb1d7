"""Events as columns: whoever has made them, and however they are divided, the same is found.

The judge of events, one at a time, says what is to be found; what it is compared with is the judge
by hand (`test_judge_by_hand`).
"""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from ackproof.conform.account import Account
from ackproof.conform.columns import Columns, columns_of
from ackproof.conform.events import Event, Kind
from ackproof.conform.judgement import Judgement
from ackproof.conform.parquet import read_parquet_columns
from ackproof.conform.recording import writer
from ackproof.conform.streams import Streams

from tests.conform.talk import odd_talk, talk
from tests.exploring import chance, examples

_TEXTS = ["", "a", "é", "x" * 300, "a\0", "a\0\0", "\udcff"]


def conversation(rng: random.Random) -> list[Event]:
    """Return what is said on some channels, with events missing and doubled."""
    channels = [(name, number) for name in ("c1", "c2") for number in (1, 2)]
    said: dict[tuple[str, int], Iterator[Event]] = {c: talk(rng, 60) for c in channels}
    numbers, events = dict.fromkeys(channels, 0), []
    while said:
        key = rng.choice(list(said))
        event = next(said[key], None)
        if event is None:
            del said[key]
            continue
        if rng.random() < 0.02:
            event = odd_talk(rng)
        event.connection, event.channel = key
        numbers[key] += 1 if rng.random() > 0.02 else rng.choice([0, 2])
        event.number, event.time = max(numbers[key], 1), rng.random()
        events.append(event)
    return events


def found(batches: list[Columns]) -> tuple[object, ...]:
    """Return all that is found in columns."""
    streams, account = Streams(), Account()
    for columns in batches:
        for facts in streams.take(columns):
            account.add(facts)
    counts = streams.events, streams.gaps, streams.channels, streams.frames, streams.window
    fates = account.published, account.acked, account.nacked, account.returned, account.sums()
    place = sorted((str(v), v.event.connection, v.event.channel) for v in streams.violations)
    return counts, fates, place, account.latencies().tolist()


def test_columns_are_judged_as_events_are() -> None:
    rng, violated = chance("columns of conversations"), 0
    for _ in range(examples(40)):
        events = conversation(rng)
        judgement, streams = Judgement(), Streams()
        for event in events:
            judgement.take(event)
        streams.take(columns_of(events))
        assert streams.violations == judgement.violations
        seen = streams.events, streams.gaps, streams.channels
        assert seen == (judgement.events, judgement.gaps, judgement.channels)
        violated += len(judgement.violations)
    assert violated > 10


def test_it_does_not_matter_how_events_are_divided_into_batches() -> None:
    rng = chance("batches of conversations")
    for _ in range(examples(20)):
        events, pieces = conversation(rng), []
        whole = found([columns_of(events)])
        while events:
            size = rng.randrange(1, 40)
            pieces.append(columns_of(events[:size]))
            events = events[size:]
        assert found(pieces) == whole


def test_a_row_group_is_the_columns_of_its_events(tmp_path: Path) -> None:
    rng = chance("columns of parquet")
    events = conversation(rng)
    for event in events:
        event.message, event.key = (rng.choice(_TEXTS[:-1]) for _ in "mk")
    sink = writer(tmp_path / "r.parquet")
    for event in events:
        sink.write(event)
    sink.close()
    events.sort(key=lambda event: (event.connection, event.channel, event.number))
    (columns,), wanted = list(read_parquet_columns(tmp_path / "r.parquet")), columns_of(events)
    assert np.array_equal(columns.numbers, wanted.numbers)
    assert np.array_equal(columns.channels, wanted.channels)
    assert [columns.event(row) for row in range(len(events))] == events
    assert found([columns]) == found([wanted])


def test_little_is_kept_of_a_channel_that_has_ended() -> None:
    kinds = (Kind.OPEN, Kind.OPEN_OK, Kind.CLOSE, Kind.CLOSE_OK)

    def kept(channels: int) -> int:
        streams = Streams()
        tracemalloc.start()
        for channel in range(channels):
            said = [Event(kind, channel=channel, number=n) for n, kind in enumerate(kinds, 1)]
            streams.take(columns_of(said))
        taken = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert (streams.channels, streams.frames) == (channels, 0)
        return taken

    kept(10)  # what is compiled is loaded once
    assert kept(300) - kept(100) < 200 * 2000


def test_tags_that_are_too_large_to_be_right_are_named_as_such() -> None:
    def why(*tags: int) -> list[str]:
        streams = Streams()
        deliveries = [Event(Kind.DELIVER, tag=tag, channel=1) for tag in tags]
        for number, event in enumerate(deliveries, 1):
            event.number = number
        streams.take(columns_of(deliveries))
        return [violation.why for violation in streams.violations]

    most = 2**63
    assert why(most + 4, most + 5, 2**64 - 1) == [], "nobody can tell whether some are missing"
    assert why(most, 7) == [f"delivery tag 7 comes after {most - 1} or more"]
    assert why(6, most + 5) == [f"delivery tag {most + 5} comes after 6, and is not the next one"]


def test_texts_that_differ_have_other_numbers() -> None:
    events = [Event(Kind.PUBLISH, message=m, digest=d) for m in _TEXTS for d in _TEXTS]
    numbers = columns_of(events).numbers
    for column in (-3, -2, -1):
        assert len(set(numbers[column].tolist())) == len(events)


@pytest.mark.parametrize(("field", "value"), [("exchange", "e"), ("key", "k")])
def test_what_is_returned_is_known_by_where_it_was_published_to(field: str, value: str) -> None:
    events = [Event(Kind.PUBLISH), Event(Kind.PUBLISH, **{field: value})]  # type: ignore[arg-type]
    numbers = columns_of(events).numbers
    assert numbers[-3, 0] != numbers[-3, 1], "the identity of a return"
    assert numbers[-2:, 0].tolist() == numbers[-2:, 1].tolist(), "and of the account"
