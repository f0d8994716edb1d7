"""How many events a second an audit on Spark takes, with one core and with two, and what one costs.

Recordings are those of `bench.audit_recordings`, in Parquet as the recorder writes it.  Each number
of events is audited on `local[1]` and on `local[2]`, with tables, after a small audit that starts
workers and compiles; times are those of a clock, so nothing else may run.  *Times* says how many
times as fast two cores are as one; *busy* is how long an event has kept processors busy, with the
JVM.

    python bench/audit_cores.py
    python bench/audit_cores.py --events 1000000 10000000 100000000 --folder /data
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.session import open_session

from bench.audit_engines import processor_seconds
from bench.audit_recordings import record

_CORES, _PARTS, _FIRST = (1, 2), 4, 100_000


def measured(
    master: str, paths: list[Path], first: list[Path], folder: Path
) -> tuple[float, float]:
    """Return the seconds of an audit, and those of processors."""
    with open_session(master, _PARTS, folder / f"{master}.log", "cores") as session:
        SparkAudit(session, _PARTS, folder / "first")(first)
        began, busy = time.perf_counter(), processor_seconds()
        SparkAudit(session, _PARTS, folder / "tables")(paths)
        return time.perf_counter() - began, processor_seconds() - busy


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
                    seconds, busy = measured(f"local[{cores}]", made.paths, first, Path(place))
                one = one or seconds
                speed = f"{seconds:>7.1f} s {made.events / seconds:>10,.0f}"
                each = f"{busy / made.events * 1e6:>6.2f} µs"
                times = f"{one / seconds:>6.2f}"
                print(f"{made.events:>12,} {cores:>6} {speed} {each} {times}", flush=True)


if __name__ == "__main__":
    main()
