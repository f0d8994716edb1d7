"""Open a session as a command would, try it, and write what was seen as JSON to a file.

It runs as a program of its own, for a process has one session at a time: python opening.py FOLDER.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackproof.pipeline.session import Session, open_session

if TYPE_CHECKING:
    from pyarrow import RecordBatch

PARTS = 3

#: What is set for as long as Spark starts.
OURS = ("JAVA_HOME", "PYSPARK_DRIVER_PYTHON", "PYSPARK_PYTHON", "SPARK_LOCAL_IP")


class Send:
    """Give each part a row from each task."""

    def __call__(self, batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield a row for each part."""
        import pyarrow as pa

        for _ in batches:
            yield pa.record_batch({"part": pa.array(range(PARTS), pa.int32())})


class Count:
    """Say how many rows came together in a task, and which Python counted them."""

    def __call__(self, batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield one row."""
        import pyarrow as pa

        rows = sum(batch.num_rows for batch in batches)
        print("a worker prints this")
        yield pa.record_batch({"rows": pa.array([rows]), "python": pa.array([sys.executable])})


class Sleep:
    """Say that a task has begun, by a file, and do not end."""

    def __init__(self, began: Path) -> None:
        """Keep where the file is to be."""
        self.began = began

    def __call__(self, batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield nothing for an hour."""
        self.began.touch()
        time.sleep(3600)
        yield from batches


class Fail:
    """Fail in a task."""

    def __call__(self, batches: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
        """Raise ValueError."""
        raise ValueError("a task fails")


def counted(session: Session) -> list[list[Any]]:
    """Run a job of two stages; return what each task of the second saw."""
    frame = session.spark.range(0, PARTS, 1, PARTS).mapInArrow(Send(), "part int")
    frame = frame.repartitionById(PARTS, "part").mapInArrow(Count(), "rows long, python string")
    return [list(row) for row in session.collect(frame, "counting")]


def interrupted(session: Session, began: Path) -> str:
    """Interrupt a job as Ctrl-C does, once it runs; return what came of it."""

    def interrupt() -> None:
        while not began.exists():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        session.collect(session.spark.range(0, 2, 1, 2).mapInArrow(Sleep(began), "id long"))
    except KeyboardInterrupt:
        return "interrupted"
    return "not interrupted"


def failed(session: Session, sql: str = "") -> str:
    """Run what fails; return how."""
    try:
        if sql:
            session.spark.sql(sql)
        session.collect(session.spark.range(1).mapInArrow(Fail(), "id long"))
    except Exception as error:
        return type(error).__name__
    return "not failed"


def listening(pid: int) -> list[str]:
    """Return the addresses, but loopback, on which a process listens."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        target = os.readlink(link) if link.is_symlink() else ""
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                host = _host(fields[1].partition(":")[0])
                if host not in ("127.0.0.1", "::ffff:127.0.0.1", "::1"):
                    found.append(host)
    return found


def _host(text: str) -> str:
    """Return the address that the kernel writes as 32-bit words."""
    words = [bytes.fromhex(text[i : i + 8])[::-1] for i in range(0, len(text), 8)]
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    return socket.inet_ntop(family, b"".join(words))


def children() -> list[int]:
    """Return the processes that this one has started, and that are there still."""
    return [int(n) for n in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def main(folder: Path) -> None:
    """Open, try, close; write what was seen."""
    before, handler = dict(os.environ), signal.getsignal(signal.SIGINT)
    seen: dict[str, Any] = {}
    remarks: list[str] = []
    log = folder / "logs" / "spark.log"
    with open_session("local[2]", PARTS, log, "trial", remarks.append) as session:
        (java,) = children()
        seen["parallelism"] = session.parallelism
        seen["master"] = session.master
        seen["ui"] = session.ui
        seen["remarks"] = list(remarks)
        seen["counted"] = counted(session)
        seen["abroad"] = listening(java)
        seen["group"] = os.getpgid(java) == java
        seen["environment"] = [name for name in OURS if os.environ.get(name) != before.get(name)]
        seen["handler"] = signal.getsignal(signal.SIGINT) is handler
        seen["failed"] = [failed(session), failed(session, "SELECT nothing FROM nowhere")]
        seen["interrupted"] = interrupted(session, folder / "began")
        seen["counted after"] = counted(session)
        with open_session("local[1]", 5, folder / "other.log", "second", remarks.append) as second:
            seen["second"] = [
                remarks,
                second.spark.conf.get("spark.sql.shuffle.partitions"),
                session.spark.conf.get("spark.sql.shuffle.partitions"),
            ]
        seen["open still"] = session.spark.range(2).count()
    seen["children"] = children()
    with open_session("local[1]", 1, folder / "again.log", "again") as session:
        seen["again"] = session.spark.range(2).count()
    (folder / "seen.json").write_text(json.dumps(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
