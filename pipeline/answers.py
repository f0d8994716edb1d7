"""Answers as files: all rows, a batch at a time, and whole or not at all.

A file is written beside its place and renamed, so that nobody takes half an answer for one, and an
answer of before stays until the new one is there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

__all__ = ["received", "sent", "whole"]


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield where to write a file, which comes to its place when that has succeeded.

    What is there and no file, such as a pipe, is written to as it is.

    Raises:
        OSError: it cannot be written.
    """
    place = path.resolve()
    if place.exists() and not place.is_file():
        yield place
        return
    handle, name = tempfile.mkstemp(prefix=".ackproof-", dir=place.parent)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask())
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
