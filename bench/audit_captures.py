"""How fast Spark audits a capture in many files, read by one task and by many.

The capture has some connections at the same time (`bench.capture`).  It is audited with one core
and with two, by one task that reads all of it, as one that is small is read, and by a task for each
file.  All must return the document of the local audit, or the run stops.  *Busy* is how long an
event has kept processors busy, with the JVM and all workers.

    python bench/audit_captures.py
    python bench/audit_captures.py --events 10000000 --folder /data
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ackproof.conform.audit import audit
from ackproof.conform.capture.listening import Listening
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.session import open_session

from bench.audit_engines import processor_seconds
from bench.capture import write_pieces

_CONNECTIONS, _FILES, _PARTS = 8, 8, 4
_HOW = Listening(b"the same key for all")
#: Bytes that a task reads at most: a capture of less is read by one.
_READ_BY = {"one task": 1 << 40, "many tasks": 1 << 20}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="a capture that is read by one task and by many")
    parser.add_argument("--events", type=int, default=4 * 10**6, help="how many, about")
    parser.add_argument("--folder", type=Path, help="where files go while it lasts; on a disk")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-", dir=asked.folder) as name:
        folder = Path(name)
        paths = write_pieces(folder, asked.events, _CONNECTIONS, _FILES)
        audit(paths[:1])  # which compiles
        began = time.perf_counter()
        wanted = audit(paths, how=_HOW)
        size = sum(path.stat().st_size for path in paths)
        print(f"{wanted.events:,} events, {size / 1e6:,.0f} MB in {_FILES} files", flush=True)
        print(f"local                 {time.perf_counter() - began:>8.1f} s", flush=True)
        for cores in (1, 2):
            with open_session(f"local[{cores}]", _PARTS, folder / "log", "captures") as session:
                SparkAudit(session, _PARTS, split=1 << 20, how=_HOW)(paths[:1])
                for said, split in _READ_BY.items():
                    began, busy = time.perf_counter(), processor_seconds()
                    found = SparkAudit(session, _PARTS, split=split, how=_HOW)(paths)
                    seconds, busy = time.perf_counter() - began, processor_seconds() - busy
                    each = busy / wanted.events * 1e6
                    print(
                        f"{cores} cores, {said:<12} {seconds:>8.1f} s {each:>8.2f} µs busy",
                        flush=True,
                    )
                    if found != wanted:
                        sys.exit(f"another document: {found}")


if __name__ == "__main__":
    main()
