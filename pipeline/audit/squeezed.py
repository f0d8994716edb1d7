"""What travels in an audit: batches of Arrow, and numbers, compressed where they are made.

All of it passes through sockets, shuffles, sorts and disks, and is much smaller for less than it
takes to copy it once.  That is so with LZ4 only: there are very many pieces, and most of them are
small, so a codec that prepares itself for each costs more than all else here.  A schema is not
sent; both sides know it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["batch_in", "numbers_in", "rows_of_numbers", "squeezed"]

_CODEC = pa.Codec("lz4_raw")
#: Bytes that say how many there are when they are not compressed, and bytes of a number.
_SIZE, _WORD = 8, 8


def squeezed(whole: pa.RecordBatch | Any) -> bytes:
    """Return a batch, or an array of numbers, as bytes."""
    data = whole.serialize() if isinstance(whole, pa.RecordBatch) else pa.py_buffer(whole)
    found: bytes = data.size.to_bytes(_SIZE, "little") + _CODEC.compress(data, asbytes=True)
    return found


def _whole(data: bytes) -> pa.Buffer:
    size = int.from_bytes(data[:_SIZE], "little")
    return _CODEC.decompress(pa.py_buffer(data).slice(_SIZE), size)


def batch_in(data: bytes, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch that is in bytes."""
    return pa.ipc.read_record_batch(_whole(data), schema)


def numbers_in(data: bytes, columns: int) -> Any:
    """Return the array of numbers that is in bytes, of so many columns, each of which is a row."""
    return np.frombuffer(_whole(data), np.int64).reshape(columns, -1)


def rows_of_numbers(data: bytes, columns: int) -> int:
    """Return how many numbers a column has."""
    return int.from_bytes(data[:_SIZE], "little") // (_WORD * columns)
