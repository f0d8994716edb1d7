"""Captures as columns: the events that Python makes of the same packets, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from ackproof.conform.capture import boundaries, conversation
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.reading import read_capture
from ackproof.conform.columns import Columns
from ackproof.conform.events import Event, Kind
from ackproof.conform.scanning import capture, packets
from ackproof.conform.scanning.capture import read_capture_columns
from ackproof.conform.schema import RecordingError
from ackproof.impl.wire.frames import PROTOCOL_HEADER

from tests.conform.capture.spoiling import cut, lagging, lost, overlapping, shuffled
from tests.conform.capture.tap import Dialogue
from tests.conform.capture.wires import Sent, sent, written
from tests.conform.scanning.chatter import said_by, same, spoiled
from tests.exploring import chance, examples

LISTENING = Listening(b"a key")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read captures in small pieces, so that there are many."""
    monkeypatch.setattr(packets, "_TOGETHER", 3000)
    monkeypatch.setattr(packets, "_MOST", 20)
    monkeypatch.setattr(capture, "_TOGETHER", 50)


def dialogue(rng: Random, broken: float = 0.0) -> Dialogue:
    """What is said on a connection, sometimes broken."""
    found: Dialogue = [(0, PROTOCOL_HEADER)]
    for _ in range(rng.randrange(1, 12)):
        side = rng.randrange(2)
        data = said_by(rng, side, rng.randrange(1, 8))
        found.append((side, spoiled(rng, data) if rng.random() < broken else data))
    return found


def check(path: Path) -> list[Event]:
    """Assert that columns are the events, and return these.

    Python yields an event as soon as it is known, and columns come piece by piece; both have those
    of a channel in order.
    """
    events = list(read_capture([path], LISTENING))
    rest = list(events)
    for columns in read_capture_columns([path], LISTENING):
        count = columns.numbers.shape[1]
        same(columns, rest[:count])
        rest = rest[count:]
    assert rest == []
    return events


def test_a_whole_capture_is_the_same(tmp_path: Path) -> None:
    kinds: set[str] = set()
    for seed in range(examples(30)):
        rng = chance("whole", seed)
        size = rng.choice([7, 60, 1400])
        events = check(written(tmp_path / "a.pcap", sent(dialogue(rng), size)))
        kinds |= {event.kind for event in events}
    assert kinds == set(Kind) - {Kind.GAP}


def test_a_capture_with_losses_is_the_same(tmp_path: Path) -> None:
    gaps = 0
    for seed in range(examples(120)):
        rng = chance("missing", seed)
        segments = sent(dialogue(rng, 0.1), rng.choice([20, 300, 1400]))
        if seed % 5 < 3:
            segments = lagging(segments, rng)
        segments = cut(segments, rng) if seed % 3 == 0 else lost(segments, rng)
        if seed % 2 == 0:
            segments = shuffled(overlapping(segments, rng), rng, rng.choice([3, 8]))
        events = check(written(tmp_path / "a.pcap", segments))
        gaps += any(event.kind == Kind.GAP for event in events)
    assert gaps > 40


def test_a_connection_is_in_order_again_behind_a_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is missing is given up early, and a boundary is certain early.
    monkeypatch.setattr(conversation, "_PACKETS", 10)
    monkeypatch.setattr(boundaries, "FRAME_MAX", 5000)
    again = 0
    for seed in range(examples(12)):
        rng = chance("again", seed)
        said: Dialogue = [(0, PROTOCOL_HEADER)]
        said += [(number % 2, said_by(rng, number % 2, 12)) for number in range(24)]
        segments = sent(said, 300)
        del segments[rng.randrange(10, 20)]
        segments = lagging(segments, rng, rng.choice([0.5, 0.9, 0.995]))
        kinds = [event.kind for event in check(written(tmp_path / "a.pcap", segments))]
        again += Kind.GAP in kinds[:-50] and Kind.GAP not in kinds[-50:]
    assert again > 2


def test_what_is_broken_within_is_the_same(tmp_path: Path) -> None:
    gaps = 0
    for seed in range(examples(80)):
        rng = chance("broken capture", seed)
        events = check(written(tmp_path / "a.pcap", sent(dialogue(rng, 0.4), 300)))
        gaps += any(event.kind == Kind.GAP for event in events)
    assert gaps > 20


def test_connections_that_are_interleaved_are_the_same(tmp_path: Path) -> None:
    for seed in range(examples(30)):
        rng = chance("interleaved columns", seed)
        lines: list[list[Sent]] = []
        for number in range(rng.randrange(1, 5)):
            ports = 40_000 + number, rng.choice([5672, 5672, 7000])
            twice = range(rng.choice([1, 1, 2]))
            line = [
                segment
                for again in twice
                for segment in sent(
                    dialogue(rng), 200, (again * 9_000_000, 2**32 - 900), ports, v6=number == 1
                )
            ]
            line = line if rng.random() < 0.5 else line[: -rng.randrange(1, 6)]  # has it an end?
            lines.append(line if rng.random() < 0.6 else lost(line, rng))
        mixed: list[Sent] = []
        while any(lines):
            mixed.append(rng.choice([line for line in lines if line]).pop(0))
        check(written(tmp_path / "a.pcap", mixed))


def test_what_is_no_amqp_is_passed_over_by_both(tmp_path: Path) -> None:
    http: Dialogue = [(0, b"GET / HTTP/1.1\r\n\r\n"), (1, b"HTTP/1.1 200 OK\r\n\r\n")] * 40
    smtp: Dialogue = [(1, b"220 mail\r\n"), (0, b"HELO me\r\n")]
    for said in (http, smtp, []):
        for port in (80, 5672):
            twice = sent(said, ports=(40_000, port))
            twice += sent(said, first=(9_000_000, 5), ports=(40_000, port))
            events = check(written(tmp_path / "a.pcap", twice))
            assert len(events) == (2 if said and port == 5672 else 0)


def test_what_comes_before_damage_is_there(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pcap", sent(dialogue(chance("damaged")), 100))
    data = path.read_bytes()
    path.write_bytes(data[:-300] + b"\xff" * 300)
    ours, why = _until_damage(columns.numbers.shape[1] for columns in _columns(path))
    theirs, because = _until_damage(1 for _ in read_capture([path], LISTENING))
    assert (ours, why) == (theirs, because)
    assert "at byte" in why


def _columns(path: Path) -> Iterator[Columns]:
    return read_capture_columns([path], LISTENING)


def _until_damage(counts: Iterator[int]) -> tuple[int, str]:
    """How many there are before a file is damaged, and what is said then."""
    found = 0
    try:
        for count in counts:
            found += count
    except RecordingError as error:
        return found, str(error)
    return found, ""
