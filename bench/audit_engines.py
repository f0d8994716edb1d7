"""How fast recordings are audited by both engines, and what memory that takes, in one run.

Recordings are made first: eight channels, each in a file of its own, or one hot channel with half
of all events.  They are audited by Spark, in this process, and in this process with tables.  All
must return the same document, or the run stops.  Of Spark only the audit is timed, and not how long
a JVM takes to start; that is printed beside it.  *Busy* is how long an event has kept processors
busy, with the JVM and all workers: where the machine does other work, too, that can be compared.
*Peak* is the most that a process had resident in this size: the process itself for the local
engine, and one of Spark's Python workers for Spark.

    python bench/audit_engines.py
    python bench/audit_engines.py --quick
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice, product
from pathlib import Path

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import msgspec
from ackproof.conform.audit import audit
from ackproof.conform.document import AuditDocument
from ackproof.conform.recording import writer
from ackproof.pipeline.audit.here import AuditHere
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.session import open_session

from bench.audit import traffic

_FILES = 8
_MASTER = "local[2]"

Run = Callable[[list[Path]], AuditDocument]

#: This process, Spark's processes of Python, and the JVMs that have tasks on a cluster.
OWN, PYTHON, EXECUTOR = b"", b"pyspark.daemon", b"CoarseGrainedExecutorBackend"


def record(folder: Path, count: int, hot: bool, ending: str) -> list[Path]:
    """Write recordings of so many events together; half of them of one channel if it is hot."""
    folder.mkdir()
    shares = [count // _FILES] * _FILES
    if hot:
        shares = [count // 2] + [count // 2 // (_FILES - 1)] * (_FILES - 1)
    paths = []
    for file, share in enumerate(shares):
        paths.append(folder / f"r{file}{ending}")
        sink = writer(paths[-1])
        for number, event in enumerate(islice(traffic(), share), 1):
            event.connection, event.channel, event.number = f"c{file}", 1, number
            event.message, event.time = f"{file}", number / 1000
            sink.write(event)
        sink.close()
    return paths


def resident(process: str) -> int:
    """Return the bytes of a process that are in memory."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGESIZE")


def descendants(process: str = "self") -> list[str]:
    """Return the processes that a process has started, and those that they have."""
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in task.read_text().split():
                found += [child, *descendants(child)]
    return found


def descendants_of(kind: bytes) -> list[str]:
    """Return the processes started by this one whose commands have these words in them."""
    found = []
    for process in descendants():
        with suppress(OSError):
            if kind in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


def processor_seconds() -> float:
    """Return how long this process, and all that it has started, have been on a processor."""
    ticks = 0
    for process in ["self", *descendants()]:
        with suppress(OSError):
            # Behind the name, which may have anything in it: own time, and that of ended children.
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def watched(*kinds: bytes) -> Iterator[dict[bytes, int]]:
    """Yield the most that a process of each kind had resident until then.

    Args:
        kinds: words in the commands of processes, or `OWN`.
    """
    peaks, ended = dict.fromkeys(kinds, 0), threading.Event()

    def watch() -> None:
        while not ended.wait(0.2):
            for kind in kinds:
                processes = ["self"] if kind == OWN else descendants_of(kind)
                peaks[kind] = max(peaks[kind], *map(resident, processes), 0)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peaks
    finally:
        ended.set()
        thread.join()


def measure(name: str, paths: list[Path], run: Run, count: int, process: bytes) -> AuditDocument:
    """Audit once, and print a line of the table."""
    start, busy = time.perf_counter(), processor_seconds()
    with watched(process) as peaks:
        document = run(paths)
    seconds, busy = time.perf_counter() - start, processor_seconds() - busy
    speed = f"{count:>12,} {seconds:>8.1f} s {count / seconds:>10,.0f}"
    each = f"{busy / count * 1e6:>9.2f} µs"
    print(f"{name:<28} {speed} {each} {max(peaks.values()) / 1e6:>9,.0f} MB", flush=True)
    return document


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="the audit by both engines")
    parser.add_argument("--quick", action="store_true", help="without the largest number")
    warm = False
    counts = [10**6] if parser.parse_args().quick else [10**6, 10**7]
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        with open_session(_MASTER, 4, Path(folder, "spark.log"), "bench") as session:
            print(f"Spark starts on {_MASTER} in {time.perf_counter() - start:.1f} s")
            print(
                f"{'':<28} {'events':>12} {'time':>10} {'a second':>10} {'busy':>12} {'peak':>12}"
            )
            for count in counts:
                for hot, ending in product((False, True), (".jsonl", ".parquet")):
                    place = Path(folder, f"{count}-{hot}{ending}")
                    paths = record(place, count, hot, ending)
                    kind = f"{ending[1:]}, {'one hot' if hot else 'even'}"
                    if not warm:
                        SparkAudit(session, 4)(paths)
                        audit(paths)
                        warm = True
                    here = AuditHere(Path(folder, f"{place.name}-tables"))
                    runs: dict[str, tuple[Run, bytes]] = {
                        "spark": (SparkAudit(session, 4), PYTHON),
                        "local": (audit, OWN),
                        "tables": (here, OWN),
                    }
                    found = [
                        measure(f"{name}, {kind}", paths, run, count, process)
                        for name, (run, process) in runs.items()
                    ]
                    if len(set(map(msgspec.json.encode, found))) != 1:
                        sys.exit("the engines do not find the same")
                    for path in paths:
                        path.unlink()


if __name__ == "__main__":
    main()
