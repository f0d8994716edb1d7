"""A capture in many files is read as if it were in one, and those of others are kept apart."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from ackproof.conform.audit import audit
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.reading import read_capture
from ackproof.conform.capture.rotation import called_capture, pieces_of_captures
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging.texts import HERE
from ackproof.conform.scanning.capture import read_capture_columns
from ackproof.conform.schema import RecordingError
from ackproof.impl.wire.frames import PROTOCOL_HEADER

from tests.conform.capture.tap import Dialogue
from tests.conform.capture.wires import Sent, captured, sent
from tests.conform.scanning.chatter import said_by, same
from tests.exploring import chance, examples

HOW = Listening(b"key")
TALK: Dialogue = [
    (0, PROTOCOL_HEADER),
    *((side, said_by(random.Random(side), side, 6)) for side in (0, 1) * 6),
]
Packets = Sequence[tuple[float, bytes]]


def dialogue(rng: random.Random) -> Dialogue:
    """What is said on a connection."""
    turns = [rng.randrange(2) for _ in range(rng.randrange(2, 10))]
    return [(0, PROTOCOL_HEADER), *((side, said_by(rng, side, 4)) for side in turns)]


def traffic(rng: random.Random) -> list[Sent]:
    """The segments of some connections at the same time."""
    lines = [
        sent(dialogue(rng), rng.choice([60, 400]), ports=(40_000 + number, 5672))
        for number in range(rng.randrange(1, 4))
    ]
    order = [number for number, line in enumerate(lines) for _ in line]
    rng.shuffle(order)
    return [lines[number].pop(0) for number in order]


def write(path: Path, packets: Packets, later: float = 0.0) -> Path:
    """Write packets into a file, some seconds later than they say."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        for time, packet in packets:
            micros = round((time + later) * 1e6)
            file.write(struct.pack("<II", *divmod(micros, 10**6)))
            file.write(struct.pack("<II", len(packet), len(packet)) + packet)
    return path


def pieces_of(folder: Path, packets: Packets, rng: random.Random) -> list[Path]:
    """Write packets into some files, which are given in any order."""
    cuts = sorted(rng.sample(range(1, len(packets)), min(rng.randrange(1, 6), len(packets) - 1)))
    bounds = zip([0, *cuts], [*cuts, len(packets)], strict=True)
    found = [
        write(folder / f"all.pcap{number}", packets[start:end])
        for number, (start, end) in enumerate(bounds)
    ]
    rng.shuffle(found)
    return found


def heard(pieces: Sequence[Path]) -> list[Event]:
    """The events of a capture, of which compiled code says the same."""
    events = list(read_capture(pieces, HOW))
    rest = list(events)
    for columns in read_capture_columns(pieces, HOW):
        count = columns.numbers.shape[1]
        same(columns, rest[:count])
        rest = rest[count:]
    assert rest == []
    return events


@pytest.mark.parametrize(
    ("names", "pieces"),
    [
        (("t_00001_20261127.pcap", "t_00002_20261128.pcap"), 1),
        (("t.pcap", "t.pcap1", "t.pcap02"), 1),
        (("t1.pcapng", "t22.pcapng", "t003.pcapng"), 1),
        (("a/t1.pcap", "b/t2.pcap"), 2),
        (("t1.pcap", "u2.pcap"), 2),
        (("t1.pcap", "t1.pcapng"), 2),
        (("t1.jsonl", "t2.jsonl", "t1.parquet", "t2.parquet", "t1", "t2"), 6),
    ],
)
def test_captures_whose_names_differ_in_numbers_only_are_pieces_of_one(
    names: tuple[str, ...], pieces: int
) -> None:
    found = pieces_of_captures(names)
    assert len(found) == pieces
    assert sorted(name for some in found for name in some) == sorted(names)


def test_a_capture_is_called_so_whatever_number_it_ends_in() -> None:
    assert [
        name
        for name in ("a.pcap", "a.cap7", "a.pcap.gz", "pcap", "a.pcapng12", "a.jsonl")
        if called_capture(name)
    ] == ["a.pcap", "a.cap7", "a.pcapng12"]
    assert called_capture("s3://bucket/a.pcap1?region=eu")
    assert not called_capture("a.pcap?b")


def test_a_capture_in_pieces_is_the_same_as_in_one(tmp_path: Path) -> None:
    seen: set[str] = set()
    for seed in range(examples(40)):
        rng = chance("rotated", seed)
        packets = captured(traffic(rng))
        pieces = pieces_of(tmp_path, packets, rng)
        events = heard(pieces)
        assert events == heard([write(tmp_path / "whole.pcap", packets)])
        seen |= {event.kind for event in events}
    assert Kind.PUBLISH in seen
    assert Kind.GAP not in seen


def test_a_piece_that_begins_before_the_last_one_ended_goes_on_from_none(tmp_path: Path) -> None:
    gaps = 0
    for seed in range(examples(20)):
        rng = chance("others", seed)
        packets = [(1_000 + time * 100 % 10**9, packet) for time, packet in captured(traffic(rng))]
        middle = len(packets) // 2
        if middle < 15:
            continue
        first = write(tmp_path / "1.pcap", packets[:middle])
        other = write(tmp_path / "2.pcap", packets, later=0.05)
        second = write(tmp_path / "3.pcap", packets[middle:])
        together = heard([second, first, other])
        alone = [event for piece in ([first], [other], [second]) for event in heard(piece)]
        named = {event.connection.partition("#")[0] for event in together}
        assert named == {event.connection for event in alone}
        for one in (*together, *alone):
            one.connection = ""
        assert sorted(map(repr, together)) == sorted(map(repr, alone))
        gaps += any(event.kind is Kind.GAP for event in together)
    assert gaps


def test_pieces_beside_a_capture_of_somebody_else_go_on(tmp_path: Path) -> None:
    packets = [(1_000 + time * 100 % 10**9, packet) for time, packet in captured(sent(TALK, 60))]
    third = len(packets) // 3
    begin = packets[0][0]
    longer = [(begin + (time - begin) * 3, packet) for time, packet in packets]
    other = write(tmp_path / "9.pcap", longer, later=-0.01)
    bounds = ((0, third), (third, 2 * third), (2 * third, None))
    pieces = [write(tmp_path / f"{a}.pcap", packets[a:b]) for a, b in bounds]
    whole = write(tmp_path / "whole.pcap", packets)
    assert len(heard([other, *pieces])) == len(heard([other])) + len(heard([whole]))


def test_one_packet_of_the_future_is_no_reason_to_part(tmp_path: Path) -> None:
    packets = captured(sent(TALK, 60))
    middle = len(packets) // 2
    packets[middle // 2] = (packets[middle // 2][0] + 10_000, packets[middle // 2][1])
    pieces = [
        write(tmp_path / "1.pcap", packets[:middle]),
        write(tmp_path / "2.pcap", packets[middle:]),
    ]
    assert heard(pieces) == heard([write(tmp_path / "whole.pcap", packets)])


def test_pieces_are_known_by_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "current.pcap").symlink_to(tmp_path / "t_2.pcap")
    names = ["t_1.pcap", str(tmp_path / "t_3.pcap"), "./t_4.pcap", "current.pcap"]
    by_place = ["t_1.pcap", "current.pcap", str(tmp_path / "t_3.pcap"), "./t_4.pcap"]
    assert pieces_of_captures(names) == [by_place]
    stored = ["s3://b/t_1.pcap?region=x", "s3://b/t_2.pcap?region=x", "s3://c/t_2.pcap"]
    assert pieces_of_captures(stored) == [stored[:2], stored[2:]]


def test_where_a_piece_is_damaged_the_others_go_on(tmp_path: Path) -> None:
    rng = chance("damaged piece")
    packets = captured(sent(dialogue(rng) * 4, 60))
    third = len(packets) // 3
    pieces = [write(tmp_path / f"{n}.pcap", packets[n * third : (n + 1) * third]) for n in range(3)]
    pieces[1].write_bytes(pieces[1].read_bytes() + b"\xff" * 32)
    told: list[tuple[object, str]] = []
    columns = list(
        read_capture_columns(pieces, HOW, HERE, lambda path, error: told.append((path, str(error))))
    )
    ((path, why),) = told
    assert path == pieces[1]
    assert "at byte" in why
    assert sum(each.numbers.shape[1] for each in columns) > len(list(read_capture(pieces[:1], HOW)))
    with pytest.raises(RecordingError, match="at byte"):
        list(read_capture(pieces, HOW))


def test_an_audit_of_pieces_finds_what_one_of_the_whole_finds(tmp_path: Path) -> None:
    rng = chance("audited pieces")
    packets = captured(traffic(rng))
    (tmp_path / "one").mkdir()
    whole = audit([write(tmp_path / "one" / "all.pcap", packets)], how=HOW)
    pieces = sorted(pieces_of(tmp_path, packets, rng))
    found = audit(pieces, how=HOW)
    assert found.recordings == list(map(str, pieces))
    assert (found.events, found.channels, found.messages) == (
        whole.events,
        whole.channels,
        whole.messages,
    )
