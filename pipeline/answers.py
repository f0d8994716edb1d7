"""Answers as files: all rows, a batch at a time, and whole or not at all.

A file is written beside its place and renamed, so that nobody takes half an answer for one, and an
answer of before stays until the new one is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

__all__ = ["received", "sent", "whole"]


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield where to write a file, which comes to its place when that has succeeded.

    Raises:
        OSError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.part")
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def sent(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches as single cells of a column `rows`, as tasks of Spark send them."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        yield pa.record_batch([pa.array([sink.getvalue().to_pybytes()])], ["rows"])


def received(rows: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    """Yield the batches that were sent."""
    for one in rows:
        with pa.ipc.open_stream(one) as stream:
            yield from stream
