"""Lines of a recording: each has a checksum, and one that has changed is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ackproof.conform.events import Event, Kind
from ackproof.conform.lines import Lines, first_line, line_of, lines_after
from ackproof.conform.recording import read
from ackproof.conform.schema import RecordingError
from ackproof.conform.wellformed import Malformed
from hypothesis import given
from hypothesis import strategies as st

from tests.conform.streams import unsummed
from tests.conform.test_recording import FULL, written

PATH = Path("r.jsonl")
EVENTS = [Event(Kind.ACK, number=1), FULL]


def summed() -> Lines:
    """How the lines of what is written today are read."""
    return lines_after(PATH, first_line())


@pytest.mark.parametrize("event", EVENTS)
def test_a_line_is_json_and_the_event_that_it_was(event: Event) -> None:
    line = line_of(event)
    assert json.loads(line)["kind"] == event.kind
    assert summed().event(line) == event


@given(st.text(), st.integers(0, 2**64 - 1))
def test_whatever_an_event_says_its_line_is_read(text: str, tag: int) -> None:
    event = Event(Kind.PUBLISH, number=1, tag=tag, exchange=text, key='","crc":1}', text=text)
    assert summed().event(line_of(event)) == event


@pytest.mark.parametrize("event", EVENTS)
def test_no_bit_of_a_line_flips_in_silence(event: Event) -> None:
    whole, lines = line_of(event), summed()
    for at in range(8 * len(whole)):
        line = bytearray(whole)
        line[at // 8] ^= 1 << at % 8
        with pytest.raises(Malformed, match="has changed since it was recorded"):
            lines.event(bytes(line)) if line.endswith(b"\n") else lines.check_cut_off(bytes(line))


def test_no_bit_of_the_first_line_changes_what_is_read_in_silence(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    whole, told = path.read_bytes(), 0
    for at in range(8 * len(first_line())):
        data = bytearray(whole)
        data[at // 8] ^= 1 << at % 8
        path.write_bytes(data)
        found = read_or_told(path)
        assert found in (EVENTS, path.name)
        told += found == path.name
    assert told > 7 * len(first_line())


def read_or_told(path: Path) -> list[Event] | str:
    """The events of a recording, or the name of the file if it is told with what is wrong."""
    try:
        return list(read(path))
    except RecordingError as error:
        return path.name if str(path) in str(error) else ""


def test_a_line_that_has_a_checksum_is_compared_with_it_though_nobody_promised_one(
    tmp_path: Path,
) -> None:
    (path := tmp_path / "r.jsonl").write_bytes(
        b'{"format":"ackproof recording","version":1,"by":"somebody"}\n' + line_of(FULL)
    )
    assert list(read(path)) == [FULL]
    path.write_bytes(path.read_bytes().replace(b'"text":"why"', b'"text":"who"'))
    with pytest.raises(RecordingError, match="the line has changed since it was recorded"):
        list(read(path))


def test_the_last_line_is_an_event_or_cut_off_and_its_end_does_not_flip(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    whole = path.read_bytes()
    path.write_bytes(first_line()[:-1])
    assert list(read(path)) == []
    for length in range(len(whole) - len(line_of(FULL)), len(whole)):
        path.write_bytes(whole[:length])
        assert list(read(path)) == EVENTS[:1]
    path.write_bytes(whole[:-1] + b"\x0b")
    with pytest.raises(RecordingError, match=r"r\.jsonl:3: the end of the line has changed"):
        list(read(path))


def test_a_recording_that_promises_no_checksums_needs_none(tmp_path: Path) -> None:
    path = unsummed(written(tmp_path / "r.jsonl", EVENTS))
    assert b"crc" not in path.read_bytes()
    assert list(read(path)) == EVENTS
    with path.open("ab") as file:
        file.write(line_of(FULL))
    assert list(read(path)) == [*EVENTS, FULL]


def test_a_line_without_a_checksum_is_refused_where_one_is_promised(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    with path.open("ab") as file:
        file.write(b'{"kind":"Ack","number":2}\n')
    with pytest.raises(RecordingError, match="leave `crc` out of the first line if you"):
        list(read(path))
