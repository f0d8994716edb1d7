"""A large capture that many tasks read is what one task reads, whatever files it is in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from ackproof.conform.capture.listening import Listening
from ackproof.conform.scanning import capture as scanning
from ackproof.conform.scanning import packets
from ackproof.impl.wire.frames import PROTOCOL_HEADER
from ackproof.pipeline.audit.batches import in_captures
from ackproof.pipeline.audit.documents import recording_of
from ackproof.pipeline.audit.reading import Reading
from ackproof.pipeline.audit.segments import Segments
from ackproof.pipeline.audit.sending import ORDER
from ackproof.pipeline.audit.squeezed import batch_in
from ackproof.pipeline.audit.tables import TABLES
from ackproof.pipeline.audit.windows import WINDOW_ORDER, Following, Windows, large_captures

from tests.conform.capture.test_rotation import pieces_of, traffic, write
from tests.conform.capture.wires import captured, sent
from tests.conform.scanning.chatter import said_by
from tests.exploring import chance, examples

SEED, HOW = b"s" * 16, Listening(b"key")
Rows = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read captures in small windows, so that there are many."""
    monkeypatch.setattr(packets, "_TOGETHER", 3000)
    monkeypatch.setattr(packets, "_MOST", 20)
    monkeypatch.setattr(scanning, "_TOGETHER", 50)


def numbered(tasks: int) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch([list(range(tasks))], ["id"])


def rows_of(batches: Iterator[pa.RecordBatch]) -> Rows:
    return [row for batch in batches for row in batch.to_pylist()]


def read_whole(paths: Sequence[Path]) -> Rows:
    """What one task sends that reads everything."""
    files = [recording_of(path) for path in paths]
    reading = Reading.of(files, in_captures(files), 1 << 40, 1, SEED, HOW)
    return rows_of(reading(numbered(len(reading.tasks))))


def read_divided(paths: Sequence[Path], parts: int, rng: Random) -> Rows:
    """What many tasks send, which are done in any order."""
    files = [recording_of(path) for path in paths]
    captures = large_captures(files, in_captures(files), 0)
    windows = Windows.of(files, captures, 1, parts)
    assert len(windows.tasks) == len(paths), "a task reads one file"
    sent = list(windows(numbered(len(windows.tasks))))
    rng.shuffle(sent)
    table = pa.Table.from_batches(sent).sort_by([(name, "ascending") for name in WINDOW_ORDER])
    following = Following(windows.paths, parts, SEED, HOW)
    found: Rows = []
    for part in range(parts):
        mine = table.filter(pa.compute.equal(table["part"], part))
        found += rows_of(following(iter(mine.to_batches(7))))
    return found


def said(rows: Rows) -> dict[str, Any]:
    """What is in rows, channel by channel, wherever segments begin and end."""
    channels: dict[Any, Rows] = {}
    names: dict[int, str] = {}
    for row in rows:
        if row["events"] is not None and row["bucket"] is None:
            channels.setdefault(tuple(row[name] for name in ORDER[:3]), []).append(row)
            names |= dict(msgspec.json.decode(row["names"]))
    whole = {}
    for place, mine in channels.items():
        together = Segments([row["events"] for row in sorted(mine, key=lambda row: row["first"])])
        whole[place] = together.places.tolist(), together.numbers.tolist()
    told = [batch_in(row["events"], TABLES["texts"]) for row in rows if row["bucket"] is not None]
    texts = {tuple(row.values()) for batch in told for row in batch.to_pylist()}
    bad = sorted((r["recording"], r["first"], r["bad"]) for r in rows if r["bad"] is not None)
    return {"channels": whole, "names": names, "texts": texts, "bad": bad}


def unnamed(found: dict[str, Any]) -> dict[Any, Any]:
    """What is on channels, wherever it was recorded."""
    return {place[1:]: events for place, events in found["channels"].items()}


def test_a_capture_is_the_same_however_many_read_it(tmp_path: Path) -> None:
    connections = set()
    for seed in range(examples(40)):
        rng = chance("windows", seed)
        seen = captured(traffic(rng))
        pieces = pieces_of(tmp_path, seen, rng)
        whole = said(read_whole(pieces))
        assert said(read_divided(pieces, rng.randrange(1, 6), rng)) == whole
        connections |= {name for _, name, _ in whole["channels"]}
    assert len(connections) > 2


def test_files_of_the_same_time_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """A clock may know seconds only; no sorting of names puts `10` behind `9`."""
    for seed in range(examples(4)):
        rng = chance("ties", seed)
        turns = [(side, said_by(rng, side, 6)) for side in (0, 1) * 40]
        seen = [(1e3, packet) for _, packet in captured(sent([(0, PROTOCOL_HEADER), *turns], 60))]
        step = max(len(seen) // 3, 1)
        pieces = [
            write(tmp_path / f"{number}.pcap", seen[start : start + step])
            for number, start in enumerate(range(0, len(seen), step), 8)
        ]
        (alone := tmp_path / "alone").mkdir(exist_ok=True)
        whole = said(read_whole([write(alone / "8.pcap", seen)]))
        given = rng.sample(pieces, len(pieces))
        divided = said(read_divided(given, 3, rng))
        assert divided == said(read_whole(given))
        assert unnamed(divided) == unnamed(whole)


def test_where_connections_do_not_go_on_all_parts_know_it(tmp_path: Path) -> None:
    """A piece that is earlier than the end of the one before is of another machine."""
    gaps = 0
    for seed in range(examples(20)):
        rng = chance("others", seed)
        seen = [(1_000 + time * 100 % 10**9, packet) for time, packet in captured(traffic(rng))]
        middle = len(seen) // 2
        if middle < 15:
            continue
        pieces = [
            write(tmp_path / "1.pcap", seen[:middle]),
            write(tmp_path / "2.pcap", seen[:middle], later=0.05),
            write(tmp_path / "3.pcap", seen[middle:]),
        ]
        whole = said(read_whole(pieces))
        assert said(read_divided(pieces, 4, rng)) == whole
        gaps += any("#" in name for _, name, _ in whole["channels"])
    assert gaps


def test_what_cannot_be_read_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    rng = chance("damage", 1)
    seen = captured(traffic(rng))
    pieces = [write(tmp_path / f"{n}.pcap", seen[n::3]) for n in range(3)]
    with pieces[1].open("ab") as file:
        file.write(b"\xff" * 32)
    other = tmp_path / "a" / "x1.pcap"
    other.parent.mkdir()
    other.write_bytes(b"nothing of the kind")
    empty = write(tmp_path / "a" / "x2.pcap", [])
    paths = [*pieces, other, empty]
    whole = said(read_whole(paths))
    assert said(read_divided(paths, 3, rng)) == whole
    assert len(whole["bad"]) == 2
