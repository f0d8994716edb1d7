"""Batches of Arrow on their way: compressed as a whole, once, where they are made.

All that travels in an audit passes through sockets, shuffles, sorts and disks, and is four to five
times as small for less than it takes to copy it once.  A schema is not sent; both sides know it.
"""

from __future__ import annotations

import pyarrow as pa

__all__ = ["batch_in", "squeezed"]

_CODEC = pa.Codec("zstd", compression_level=1)
#: Bytes that say how many there are when they are not compressed.
_SIZE = 8


def squeezed(batch: pa.RecordBatch) -> bytes:
    """Return a batch as bytes."""
    whole = batch.serialize()
    found: bytes = whole.size.to_bytes(_SIZE, "little") + _CODEC.compress(whole, asbytes=True)
    return found


def batch_in(data: bytes, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch that is in bytes."""
    size = int.from_bytes(data[:_SIZE], "little")
    whole = _CODEC.decompress(pa.py_buffer(data).slice(_SIZE), size)
    return pa.ipc.read_record_batch(whole, schema)
