"""The audit of very many events, on Spark and on one machine, side by side.

A real recording is made so many times larger (`bench.audit_recordings`), with violations planted,
and half of all events on one channel.  It is audited on a cluster of two workers of one core each,
with 2 partitions and with 16, and by the local engine.  Of the second, a worker is killed when its
first part is being judged, so that what it has read is lost, too; another one takes its place.  The
run stops with an error unless each audit finds all that was planted and nothing else, all documents
are the same, the tables of both have the same rows, by their digests, and no process in which a
task runs had more than a gigabyte resident.

For each audit there is how long it took, how long an event has kept processors busy, with the JVMs
and all workers, and the most that a process had resident: this one for the local engine; for Spark
one of Python's, in which a task runs, and the JVM of an executor, which has 512 MB for its heap.
(What a killed process has been busy with is not known.)

    python bench/audit_scale.py
    python bench/audit_scale.py --events 100000000 --folder /data
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
from ackproof.pipeline.errors import AuditFailed
from ackproof.pipeline.session import open_session

from bench.audit_engines import EXECUTOR, OWN, PYTHON, processor_seconds, watched
from bench.audit_recordings import Planted, digests, record
from tests.pipeline.cluster import Cluster

_PARTS = (2, 16)
#: Bytes that a process may have resident in which a task runs, and how large JVMs are.
_MOST, _HEAP = 10**9, "--conf spark.executor.memory=512m pyspark-shell"


class Scale:
    """The audits of some recordings, one after the other.

    Args:
        planted: the recordings.
        folder: where tables are left.

    Attributes:
        wrong: what is not as it must be.
    """

    def __init__(self, planted: Planted, folder: Path) -> None:
        self._planted = planted
        self._folder = folder
        self._documents: list[bytes] = []
        self.wrong: list[str] = []

    def local(self) -> None:
        """Audit in this process."""
        self._measured("local", (OWN,), lambda: audit(self._planted.paths))

    def on(self, cluster: Cluster, parts: int, kill: bool) -> None:
        """Audit on a cluster, and kill one of its workers meanwhile if that is asked for."""
        tables, log = self._folder / f"tables-{parts}", self._folder / f"spark-{parts}.log"
        with open_session(cluster.url, parts, log, "scale") as session:
            run, killed = SparkAudit(session, parts, tables), threading.Event()
            killer = threading.Thread(target=_kill, args=(cluster, tables, killed), daemon=True)
            if kill:
                killer.start()
            name = f"spark, {parts} parts" + (", one killed" if kill else "")
            try:
                self._measured(name, (PYTHON, EXECUTOR), lambda: run(self._planted.paths))
            except AuditFailed as error:
                lines = log.read_text(errors="replace").splitlines()
                causes = [line for line in lines if "Caused by" in line or " ERROR " in line]
                sys.exit("\n".join([f"{name}: {error}", *causes[:20]]))
            if kill:
                killer.join()
                if not killed.is_set():
                    self.wrong.append("all was judged before a worker was killed")

    def _measured(
        self, name: str, kinds: tuple[bytes, ...], run: Callable[[], AuditDocument]
    ) -> None:
        count, start, busy = self._planted.events, time.perf_counter(), processor_seconds()
        with watched(*kinds) as peaks:
            document = run()
        seconds, busy = time.perf_counter() - start, processor_seconds() - busy
        speed = f"{seconds:>8.1f} s {count / seconds:>10,.0f}/s {busy / count * 1e6:>8.2f} µs busy"
        memory = " ".join(f"{peaks[kind] / 1e6:>7,.0f} MB" for kind in kinds)
        print(f"{name:<28} {speed} {memory}", flush=True)
        if peaks.get(PYTHON, 0) > _MOST:
            self.wrong.append(f"{name}: a task had {peaks[PYTHON]:,} bytes resident")
        self._compare(name, document)

    def _compare(self, name: str, document: AuditDocument) -> None:
        """Compare a document with what was planted, and with those before."""
        found = {(v.recording, v.connection, v.channel, v.number) for v in document.violations}
        missing, more = self._planted.places - found, found - self._planted.places
        if missing or more or len(document.violations) != len(found):
            self.wrong.append(
                f"{name}: {len(missing)} of {len(self._planted.places)} were not found, "
                f"{len(more)} are none: {sorted(more)[:3]}"
            )
        if (document.events, document.gaps) != (self._planted.events, 0):
            self.wrong.append(f"{name}: {document.events:,} events, {document.gaps:,} gaps")
        self._documents.append(msgspec.json.encode(document))
        if self._documents[-1] != self._documents[0]:
            self.wrong.append(f"{name}: the document is another one than that of the first audit")

    def compare_tables(self) -> None:
        """Compare the rows of all tables that audits on Spark have left."""
        few, many = (list(digests(self._folder / f"tables-{parts}")) for parts in _PARTS)
        if few != many:
            self.wrong.append(f"the tables are not the same: {few} and {many}")
        for name, rows, digest in few:
            print(f"{name:<12} {rows:>12,} rows, digest {digest:016x}, for {_PARTS} partitions")


def _kill(cluster: Cluster, tables: Path, killed: threading.Event) -> None:
    """Kill a worker when a part is judged, before all are, and start another."""
    while not list(tables.glob("batches/*/.part-*")):
        time.sleep(0.05)
    if not list(tables.glob("batches/*.json")):
        cluster.kill(cluster.workers[0])
        killed.set()
        cluster.add()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="the audit of very many events")
    parser.add_argument("--events", type=int, default=10**7, help="how many, about")
    parser.add_argument("--no-local", action="store_true", help="without the local engine")
    parser.add_argument("--folder", type=Path, help="where files go while it lasts; on a disk")
    asked = parser.parse_args()
    os.environ["PYSPARK_SUBMIT_ARGS"] = _HEAP
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-", dir=asked.folder) as name:
        folder = Path(name)
        planted = record(folder / "recordings", asked.events)
        size = sum(path.stat().st_size for path in planted.paths)
        places = f"{len(planted.places)} violations planted"
        print(f"{planted.events:,} events, {size / 1e6:,.0f} MB, {places}", flush=True)
        scale = Scale(planted, folder)
        with Cluster(folder / "cluster") as cluster:
            few, many = _PARTS
            scale.on(cluster, few, kill=False)
            scale.on(cluster, many, kill=True)
        if not asked.no_local:
            scale.local()
        scale.compare_tables()
    sys.exit("\n".join(scale.wrong) or None)


if __name__ == "__main__":
    main()
