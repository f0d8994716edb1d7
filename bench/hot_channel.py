"""What the one task costs that judges a channel with all events, beside the tasks that read them.

A recording of one channel (`bench.audit`) is read by the function of the tasks that read, and
judged by that of a task that judges, in this process and without Spark: unpacking, judging, the
facts about messages and packing them are in it, sorting and the shuffle are not.  Times are those
of a processor, so other programs disturb them little.

    python bench/hot_channel.py
    python bench/hot_channel.py --events 10000000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow as pa
from ackproof.conform.capture.listening import Listening
from ackproof.conform.recording import writer
from ackproof.pipeline.audit.batches import in_captures
from ackproof.pipeline.audit.documents import recording_of
from ackproof.pipeline.audit.judging import Judging
from ackproof.pipeline.audit.reading import Reading
from ackproof.pipeline.audit.sending import ORDER

from bench.audit import WINDOW, traffic

_ROWS = 64


def write(path: Path, count: int) -> None:
    """Write a recording of so many events of one channel; messages have names of their own."""
    sink = writer(path)
    for number, event in enumerate(islice(traffic(), count), 1):
        event.connection, event.channel, event.number = "c1", 1, number
        event.message, event.time = str(number // (3 * WINDOW + 2)), number / 1000
        sink.write(event)
    sink.close()


def judge(rows: Iterable[pa.RecordBatch]) -> float:
    """Return the seconds of a processor that judging takes."""
    began = time.process_time()
    for _ in Judging(("r",))(iter(rows)):
        pass
    return time.process_time() - began


def main() -> None:
    """Print what an event costs."""
    parser = argparse.ArgumentParser(description="the task that judges a hot channel")
    parser.add_argument("--events", type=int, default=4 * 10**6, help="how many")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        write(path := Path(name) / "r.parquet", asked.events)
        files = [recording_of(path)]
        reading = Reading.of(files, in_captures(files), 1 << 40, 1, bytes(16), Listening(b"key"))
        began = time.process_time()
        rows = list(reading(iter([pa.record_batch([[0]], ["id"])])))
        read = time.process_time() - began
        table = pa.Table.from_batches(rows).sort_by([(column, "ascending") for column in ORDER])
        judge(table.slice(0, _ROWS).to_batches())  # which compiles
        judged = judge(table.to_batches(_ROWS))
    for what, seconds in (("read", read), ("judged", judged)):
        each = f"{seconds / asked.events * 1e6:.2f} µs an event"
        print(f"{what:<8} {each}, {asked.events / seconds:>10,.0f} a second")


if __name__ == "__main__":
    main()
