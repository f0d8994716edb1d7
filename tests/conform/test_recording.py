"""Recordings: what is written is read, and what is none is refused."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ackproof.conform.events import Event, Kind
from ackproof.conform.judgement import Judgement
from ackproof.conform.judging.stream import TAG
from ackproof.conform.recording import read, read_columns, writer
from ackproof.conform.schema import RecordingError

from tests.conform.streams import CONFIRMING, ack, numbered, publish, unsummed
from tests.conform.test_page import PAGE

FULL = Event(
    Kind.PUBLISH,
    connection="c1",
    channel=2,
    number=1,
    time=1.5,
    tag=3,
    multiple=True,
    mandatory=True,
    nowait=True,
    requeue=True,
    redelivered=True,
    no_ack=True,
    shared=True,
    persistent=True,
    prefetch=4,
    exchange="x",
    key="kéy",
    queue="q",
    consumer="t",
    message="m",
    size=5,
    digest="d",
    code=6,
    text="why",
)


def written(path: Path, events: list[Event]) -> Path:
    """A recording of these events."""
    sink = writer(path)
    for event in events:
        sink.write(event)
    sink.close()
    return path


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    events = [Event(Kind.ACK, number=2), FULL]
    assert list(read(written(tmp_path / name, events))) == events


@pytest.mark.parametrize("name", ["message", "digest"])
def test_parquet_may_hold_texts_by_a_dictionary(tmp_path: Path, name: str) -> None:
    events = numbered([*CONFIRMING, publish("a"), ack(1), publish("b")])
    path = written(tmp_path / "r.parquet", events)
    table = pq.read_table(path)
    coded = table.column(name).dictionary_encode()
    pq.write_table(table.set_column(table.column_names.index(name), name, coded), path)
    (columns,) = read_columns(path)
    assert [columns.event(row) for row in range(len(events))] == events
    ends, data = getattr(columns, name)
    texts = [bytes(data[a:b]).decode() for a, b in pairwise(ends)]
    assert texts == [getattr(event, name) for event in events]


def test_parquet_has_the_events_of_a_channel_together(tmp_path: Path) -> None:
    events = [Event(Kind.ACK, channel=n % 2, number=n // 2 + 1) for n in range(6)]
    found = list(read(written(tmp_path / "r.parquet", events)))
    assert [(e.channel, e.number) for e in found] == [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 1),
        (1, 2),
        (1, 3),
    ]


def test_a_line_that_was_cut_off_is_the_end(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", [FULL, FULL])
    path.write_bytes(path.read_bytes()[:-10])
    assert list(read(path)) == [FULL]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("r.jsonl", "", "this is no recording"),
        ("r.jsonl", '{"kind": "Ack"}\n', "this is no recording"),
        ("r.jsonl", '{"format": "ackproof recording", "version": 99}\n', "of version 99"),
        ("r.parquet", "no Parquet", "this is no Parquet file"),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(RecordingError, match=said) as raised:
        list(read(path))
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("line", ['{"kind": "Bark"}', '{"kind": 3}', "{", "[]", '{"kind": "\xff"}'])
def test_a_line_that_is_no_event_is_refused_with_its_place(tmp_path: Path, line: str) -> None:
    path = unsummed(written(tmp_path / "r.jsonl", [FULL]))
    with path.open("a", encoding="latin-1") as file:
        file.write(line + "\n")
    with pytest.raises(RecordingError, match=r"r\.jsonl:3: "):
        list(read(path))


def with_column(path: Path, name: str, values: list[int], kind: pa.DataType) -> None:
    """Put another column into a recording in Parquet."""
    table = pq.read_table(path)
    place = table.schema.get_field_index(name)
    table = table.set_column(place, name, pa.array(values, kind))
    pq.write_table(table, path, write_page_checksum=True)


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_tags_have_64_bits(tmp_path: Path, name: str) -> None:
    event = msgspec.structs.replace(FULL, tag=2**64 - 1)
    path = written(tmp_path / name, [event])
    assert list(read(path)) == [event]
    (columns,) = read_columns(path)
    assert columns.numbers[TAG].tolist() == [-1]
    assert columns.event(0) == event


def test_one_that_was_written_when_tags_had_63_bits_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "r.parquet", [FULL])
    with_column(path, "tag", [FULL.tag], pa.int64())
    assert list(read(path)) == [FULL]
    (columns,) = read_columns(path)
    assert columns.event(0) == FULL


def test_a_tag_of_65_bits_is_no_event(tmp_path: Path) -> None:
    path = unsummed(written(tmp_path / "r.jsonl", [msgspec.structs.replace(FULL, tag=2**64)]))
    with pytest.raises(RecordingError, match=r"the tag 18446744073709551616 .* 64 bits at most"):
        list(read(path))


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
@pytest.mark.parametrize("field", ["tag", "prefetch", "channel", "number"])
def test_what_is_negative_is_no_event(tmp_path: Path, name: str, field: str) -> None:
    path = written(tmp_path / name, [FULL])
    if name.endswith(".parquet"):
        with_column(path, field, [-3], pa.int64())
    else:
        unsummed(path)
        path.write_text(re.sub(f'"{field}":[0-9]+', f'"{field}":-3', path.read_text()))
    with pytest.raises(RecordingError):
        list(read(path))
    with pytest.raises(RecordingError):
        list(read_columns(path))


def test_the_page_has_every_field_of_an_event() -> None:
    page = PAGE.read_text()
    for field in msgspec.structs.fields(Event):
        assert f"\n`{field.name}`" in page, field.name


def judged(events: list[Event]) -> Judgement:
    """The judgement of these events."""
    judgement = Judgement()
    for event in events:
        judgement.take(event)
    return judgement


WRONG = numbered([Event(Kind.OPEN), Event(Kind.OPEN_OK), *CONFIRMING, publish(1), ack(1), ack(1)])


def test_a_recorded_channel_is_judged() -> None:
    (violation,) = judged(WRONG).violations
    assert (violation.name, violation.event.number) == ("SettledOnce", 7)


def test_an_event_that_was_recorded_twice_counts_once() -> None:
    twice = [event for event in WRONG[:6] for _ in range(2)]
    judgement = judged(twice)
    assert judgement.violations == []
    assert judgement.events == 6


@pytest.mark.parametrize("place", range(1, 6))
def test_an_event_that_is_missing_makes_no_violation(place: int) -> None:
    events = WRONG[:place] + WRONG[place + 1 : 6]
    judgement = judged(events)
    assert judgement.violations == []
    assert judgement.gaps == (1 if place < 5 else 0)


def test_channels_are_judged_apart() -> None:
    other = [msgspec.structs.replace(event, channel=2) for event in WRONG]
    mixed = [event for pair in zip(WRONG, other, strict=True) for event in pair]
    assert [v.event.channel for v in judged(mixed).violations] == [1, 2]
