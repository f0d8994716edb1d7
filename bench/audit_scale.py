"""The audit of very many events, on Spark and on one machine, side by side.

A real recording is made so many times larger (`bench.audit_recordings`), with violations planted,
and half of all events on one channel.  It is audited by the local engine, then on a cluster of two
workers of one core each, with 2 partitions and with 16; while the last one runs, a worker is
killed, and another one takes its place.  The run stops with an error unless each audit finds all
that was planted and nothing else, all documents are the same, and the tables of both have the same
rows, by their digests.

For each audit there is how long it took, how long an event has kept processors busy, with the JVMs
and all workers, and the most that the process itself, or one of Spark's Python workers, had
resident.

    python bench/audit_scale.py
    python bench/audit_scale.py --events 100000000 --no-local
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import msgspec
from ackproof.conform.audit import audit
from ackproof.conform.document import AuditDocument
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.session import open_session

from bench.audit_engines import processor_seconds, watched
from bench.audit_recordings import Planted, digests, record
from tests.pipeline.cluster import Cluster

_PARTS = (2, 16)


class Scale:
    """The audits of some recordings, one after the other.

    Args:
        planted: the recordings.
        folder: where tables are left.
    """

    def __init__(self, planted: Planted, folder: Path) -> None:
        self._planted = planted
        self._folder = folder
        self._documents: list[bytes] = []

    def local(self) -> None:
        """Audit in this process."""
        self._measured("local", False, lambda: audit(self._planted.paths))

    def on(self, cluster: Cluster, parts: int, kill: bool) -> None:
        """Audit on a cluster, and kill one of its workers meanwhile if that is asked for."""
        tables, log = self._folder / f"tables-{parts}", self._folder / f"spark-{parts}.log"
        with open_session(cluster.url, parts, log, "scale") as session:
            run, killed = SparkAudit(session, parts, tables), threading.Event()
            killer = threading.Thread(target=_kill, args=(cluster, tables, killed))
            if kill:
                killer.start()
            name = f"spark, {parts} parts" + (", one killed" if kill else "")
            self._measured(name, True, lambda: run(self._planted.paths))
            if kill:
                killer.join()
                if not killed.is_set():
                    sys.exit("all was judged before a worker was killed")

    def _measured(self, name: str, spark: bool, run: Callable[[], AuditDocument]) -> None:
        count, start, busy = self._planted.events, time.perf_counter(), processor_seconds()
        with watched(spark) as peaks:
            document = run()
        seconds, busy = time.perf_counter() - start, processor_seconds() - busy
        speed = f"{seconds:>8.1f} s {count / seconds:>10,.0f}/s {busy / count * 1e6:>8.2f} µs busy"
        print(f"{name:<28} {speed} {peaks[-1] / 1e6:>7,.0f} MB", flush=True)
        found = {(v.recording, v.connection, v.channel, v.number) for v in document.violations}
        if found != self._planted.places or len(document.violations) != len(found):
            missing, more = self._planted.places - found, found - self._planted.places
            sys.exit(f"{len(missing)} were not found, {len(more)} are none: {sorted(more)[:3]}")
        if (document.events, document.gaps) != (count, 0):
            sys.exit(f"{document.events:,} events with {document.gaps:,} gaps of {count:,}")
        self._documents.append(msgspec.json.encode(document))

    def compare(self) -> None:
        """Stop unless all audits have found the same."""
        if len(set(self._documents)) != 1:
            sys.exit("the documents are not the same")
        few, many = (list(digests(self._folder / f"tables-{parts}")) for parts in _PARTS)
        if few != many:
            sys.exit(f"the tables are not the same: {few} and {many}")
        for name, rows, digest in few:
            print(f"{name:<12} {rows:>12,} rows, digest {digest:016x}, for {_PARTS} partitions")


def _kill(cluster: Cluster, tables: Path, killed: threading.Event) -> None:
    """Kill a worker when the first job writes, and start another."""
    while not list(tables.glob("batches/*/_temporary")):
        time.sleep(0.05)
    # The recordings are being read now.
    time.sleep(5)
    if not list(tables.glob("batches/*.json")):
        cluster.kill(cluster.workers[0])
        killed.set()
        cluster.add()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="the audit of very many events")
    parser.add_argument("--events", type=int, default=10**7, help="how many, about")
    parser.add_argument("--no-local", action="store_true", help="without the local engine")
    asked = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        planted = record(folder / "recordings", asked.events)
        size = sum(path.stat().st_size for path in planted.paths)
        places = f"{len(planted.places)} violations planted"
        print(f"{planted.events:,} events, {size / 1e6:,.0f} MB, {places}", flush=True)
        scale = Scale(planted, folder)
        if not asked.no_local:
            scale.local()
        with Cluster(folder / "cluster") as cluster:
            few, many = _PARTS
            scale.on(cluster, few, kill=False)
            scale.on(cluster, many, kill=True)
        scale.compare()


if __name__ == "__main__":
    main()
