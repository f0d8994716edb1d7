"""How many events a second an audit on Spark takes, with one core and with two, and what one costs.

Recordings are those of `bench.audit_recordings`, in Parquet as the recorder writes it.  Each number
of events is audited on `local[1]` and on `local[2]`, with tables, after a small audit that starts
workers and compiles; times are those of a clock, so nothing else may run.  *Times* says how many
times as fast two cores are as one; *busy* is how long an event has kept processors busy, with the
JVM.  What it takes beside time is in bytes for each event: *read* are those of the recordings,
*shuffled* those that Spark wrote for other tasks, *batches* what is kept to add to, and *tables*
the tables.

    python bench/audit_cores.py
    python bench/audit_cores.py --events 1000000 10000000 100000000 --folder /data
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.session import Session, open_session

from bench.audit_engines import processor_seconds
from bench.audit_recordings import record

_CORES, _PARTS, _FIRST = (1, 2), 4, 100_000


class Cost(NamedTuple):
    """What an audit took.

    Attributes:
        seconds: by the clock.
        busy: seconds of processors.
        read: bytes of its recordings.
        shuffled: bytes written for other tasks.
        batches: bytes kept of batches.
        tables: bytes of its tables.
    """

    seconds: float
    busy: float
    read: int
    shuffled: int
    batches: int
    tables: int


def measured(master: str, paths: list[Path], first: list[Path], folder: Path) -> Cost:
    """Audit recordings, after some others."""
    tables = folder / "tables"
    with open_session(master, _PARTS, folder / f"{master}.log", "cores") as session:
        SparkAudit(session, _PARTS, folder / "first")(first)
        began, busy, moved = time.perf_counter(), processor_seconds(), _shuffled(session)
        SparkAudit(session, _PARTS, tables)(paths)
        seconds, busy = time.perf_counter() - began, processor_seconds() - busy
        moved = _shuffled(session) - moved
    sizes = {path: path.stat().st_size for path in tables.rglob("*") if path.is_file()}
    batches = sum(size for path, size in sizes.items() if tables / "batches" in path.parents)
    read = sum(path.stat().st_size for path in paths)
    return Cost(seconds, busy, read, moved, batches, sum(sizes.values()) - batches)


def _shuffled(session: Session) -> int:
    """Return the bytes that all tasks so far have written for others."""

    def ask() -> int:
        executors = session.spark.sparkContext._jsc.sc().statusStore().executorList(True)
        known = (executors.apply(number) for number in range(executors.size()))
        return sum(executor.totalShuffleWrite() for executor in known)

    return session.run(ask)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="an audit on one core and on two")
    parser.add_argument("--events", type=int, nargs="+", default=[10**6, 10**7], help="how many")
    parser.add_argument("--folder", type=Path, help="where files go while it lasts; on a disk")
    asked = parser.parse_args()
    print(f"{'events':>12} {'cores':>6} {'time':>9} {'a second':>10} {'busy':>9}  times")
    for count in asked.events:
        with tempfile.TemporaryDirectory(prefix="ackproof-bench-", dir=asked.folder) as name:
            folder = Path(name)
            first = record(folder / "small", _FIRST).paths
            made, one = record(folder / "recordings", count), 0.0
            for cores in _CORES:
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    cost = measured(f"local[{cores}]", made.paths, first, Path(place))
                one = one or cost.seconds
                speed = f"{cost.seconds:>7.1f} s {made.events / cost.seconds:>10,.0f}"
                each = f"{cost.busy / made.events * 1e6:>6.2f} µs"
                times = f"{one / cost.seconds:>6.2f}"
                print(f"{made.events:>12,} {cores:>6} {speed} {each} {times}", flush=True)
            kinds = zip(cost._fields[2:], cost[2:], strict=True)
            said = ", ".join(f"{size / made.events:.1f} {kind}" for kind, size in kinds)
            print(f"{made.events:>12,} bytes for each: {said}", flush=True)


if __name__ == "__main__":
    main()
