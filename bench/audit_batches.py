"""The same recordings audited in one batch, and in increments in random order, side by side.

A real recording is made so many times larger, with violations planted (`bench.audit_recordings`),
and others are drawn, in which channels have gaps, events come twice, messages look alike, and lines
are no events (`tests.pipeline.recorded`); and captures are written in many files.  All of them are
audited on Spark in one batch, and then a few times with `--add`: in random order, a random number
of them at a time, now and then with some that are there already, and captures read whole or by many
tasks.  The run stops with an error unless each leaves the same document, to the byte, and tables
with the same rows, by their digests, of which none is empty.

    python bench/audit_batches.py
    python bench/audit_batches.py --events 10000000 --rounds 3 --folder /data
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ackproof.conform.capture.listening import Listening
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.audit.splits import SPLIT
from ackproof.pipeline.session import Session, open_session

from bench.audit_recordings import digests, record
from bench.capture import write_pieces
from tests.conform.capture.test_rotation import pieces_of, traffic
from tests.conform.capture.wires import captured
from tests.pipeline.recorded import drawn, spoiled

_MASTER, _PARTS = "local[2]", 4
#: Recordings of each kind, and how many are added at once, at most.
_FILES, _MOST = 6, 5
_HOW = Listening(b"the same key for all")


def recordings(folder: Path, events: int, rng: random.Random) -> list[Path]:
    """Write recordings of both kinds, about so many events; return them sorted."""
    made = record(folder / "made", events, _FILES).paths
    odd = drawn(folder / "drawn", rng, _FILES, rounds=40).paths
    wrong = [spoiled(path, rng)[0] for path in odd if path.suffix == ".jsonl"]
    return sorted([*made, *odd, *wrong, *_captures(folder, rng)])


def _captures(folder: Path, rng: random.Random) -> Iterator[Path]:
    for name in ("odd", "plain"):
        (folder / name).mkdir()
    yield from pieces_of(folder / "odd", captured(traffic(rng)), rng)
    yield from write_pieces(folder / "plain", 10**5, connections=3, files=_FILES)


def increments(paths: list[Path], rng: random.Random) -> Iterator[list[Path]]:
    """Yield what is added each time, until all is there: now and then something again."""
    left, there = rng.sample(paths, len(paths)), list[Path]()
    while left:
        new = [left.pop() for _ in range(min(rng.randint(1, _MOST), len(left)))]
        again = rng.sample(there, min(rng.randrange(3), len(there)))
        yield rng.sample([*new, *again], len(new) + len(again))
        there += new


def left_by(tables: Path) -> tuple[bytes, list[tuple[str, int, int]]]:
    """Return the document that an audit has left, and digests of its tables."""
    return (tables / "audit.json").read_bytes(), list(digests(tables))


def in_increments(session: Session, paths: list[Path], tables: Path, rng: random.Random) -> int:
    """Audit bit by bit; return how many times something was added."""
    times = 0
    for some in increments(paths, rng):
        split = rng.choice((SPLIT, 1 << 19))
        SparkAudit(session, rng.choice((2, _PARTS)), tables, True, split, _HOW)(some)
        times += 1
    return times


def main() -> None:
    """Print what is the same, or end with what is not."""
    parser = argparse.ArgumentParser(description="one batch beside increments in random order")
    parser.add_argument("--events", type=int, default=10**6, help="how many, about")
    parser.add_argument("--rounds", type=int, default=3, help="how many orders are tried")
    parser.add_argument("--seed", type=int, default=1, help="of all that is random")
    parser.add_argument("--folder", type=Path, help="where files go while it lasts; on a disk")
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-", dir=asked.folder) as name:
        folder = Path(name)
        paths = recordings(folder, asked.events, rng)
        with open_session(_MASTER, _PARTS, folder / "spark.log", "batches") as session:
            began = time.perf_counter()
            found = SparkAudit(session, _PARTS, folder / "once", how=_HOW)(paths)
            once = left_by(folder / "once")
            said = f"{len(paths)} recordings, {found.events:,} events"
            print(f"{said}: one batch, {time.perf_counter() - began:.1f} s", flush=True)
            for table, rows, digest in once[1]:
                print(f"  {table:<12} {rows:>12,} rows, digest {digest:016x}", flush=True)
                if not rows:
                    sys.exit(f"the table {table} is empty, so nothing is shown by it")
            for number in range(1, asked.rounds + 1):
                began, tables = time.perf_counter(), folder / f"bit-by-bit-{number}"
                times = in_increments(session, paths, tables, rng)
                if left_by(tables) != once:
                    sys.exit(f"order {number}: not the same: {left_by(tables)[1]}")
                seconds = time.perf_counter() - began
                print(f"order {number}: {times} increments, the same, {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
