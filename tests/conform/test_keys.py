"""A recording says which key it was made with, and nobody can tell the key from that."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.conform.audit import audit
from ackproof.conform.capture.listening import Listening
from ackproof.conform.events import Event, Kind
from ackproof.conform.keys import differing, key_mark
from ackproof.conform.recording import mark_in, read, writer
from ackproof.conform.schema import RecordingError
from msgspec.structs import replace

from tests.conform.capture.wires import sent, written
from tests.conform.streams import CONFIRMING, ack, deliver, publish

HOW = Listening()


def recorded(path: Path, key: bytes | None, *events: Event) -> Path:
    """Return a recording of some events, made with a key."""
    sink = writer(path, "" if key is None else key_mark(key))
    for event in events or [Event(Kind.OPEN, number=1)]:
        sink.write(event)
    sink.close()
    return path


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_recording_has_the_mark_of_its_key(ending: str, tmp_path: Path) -> None:
    path = recorded(tmp_path / f"r.{ending}", b"secret")
    assert mark_in(path, HOW) == key_mark(b"secret") != key_mark(b"another")
    assert b"secret" not in path.read_bytes()
    assert [event.kind for event in read(path)] == [Kind.OPEN]


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_recording_of_somebody_else_need_not_have_one(ending: str, tmp_path: Path) -> None:
    assert mark_in(recorded(tmp_path / f"r.{ending}", None), HOW) == ""


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_what_is_no_recording_or_not_there_has_none(ending: str, tmp_path: Path) -> None:
    (tmp_path / f"r.{ending}").write_bytes(b"\xff\x00 no recording")
    assert mark_in(tmp_path / f"r.{ending}", HOW) == ""
    assert mark_in(tmp_path / f"absent.{ending}", HOW) == ""


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_mark_in_which_a_bit_has_flipped_is_none(ending: str, tmp_path: Path) -> None:
    path = recorded(tmp_path / f"r.{ending}", b"secret")
    whole = path.read_bytes()
    end = whole.index(b"\n") if ending == "jsonl" else len(whole)
    for bit in range(8 * max(0, end - 3_000), 8 * end, 1 if ending == "jsonl" else 41):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        assert mark_in(path, HOW) in ("", key_mark(b"secret"))


@pytest.mark.parametrize("mark", ["5", "null", "{}", "[]"])
def test_what_others_have_put_there_is_no_mark(mark: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(f'{{"format":"ackproof recording","version":1,"key_mark":{mark}}}\n')
    assert mark_in(path, HOW) == ""
    assert list(read(path)) == []


def test_a_capture_has_the_key_that_is_given_for_it(tmp_path: Path) -> None:
    path = written(tmp_path / "c.pcap", sent([]))
    assert mark_in(path, Listening(b"secret")) == key_mark(b"secret")
    assert mark_in(path, Listening()) == mark_in(path, Listening()) != ""
    assert mark_in(path, Listening()) not in (key_mark(b"secret"), key_mark(HOW.drawn))


def test_marks_differ_only_where_two_are_known() -> None:
    assert differing([]) == differing([("a", ""), ("b", "1"), ("c", ""), ("d", "1")]) == ""
    assert differing([("a", ""), ("b", "1"), ("c", "2")]).startswith(
        "--drained: b and c were recorded with different keys"
    )


def test_nothing_is_lost_between_recordings_whose_digests_cannot_be_compared(
    tmp_path: Path,
) -> None:
    opened = [Event(Kind.OPEN), Event(Kind.OPEN_OK)]
    said = {
        "publisher": [*opened, *CONFIRMING, publish(1), ack(1)],
        "consumer": [*opened, Event(Kind.CONSUME, consumer="c", queue="q"), deliver(1)],
    }

    def both(name: str, **keys: bytes) -> list[Path]:
        paths = []
        for who, events in said.items():
            seen = {"connection": who, "channel": 1, "digest": keys[who].hex()}
            numbered = [replace(event, **seen, number=n) for n, event in enumerate(events, 1)]
            paths.append(recorded(tmp_path / f"{name}-{who}.jsonl", keys[who], *numbered))
        return paths

    alike = both("alike", publisher=b"1", consumer=b"1")
    apart = both("apart", publisher=b"1", consumer=b"2")
    assert audit(alike, drained=True).verdict == "explained"
    assert audit(apart).verdict == "explained"
    with pytest.raises(RecordingError, match=r"--drained: .*publisher\.jsonl and .*consumer"):
        audit(apart, drained=True)
