"""The account of messages: all that channels have shown of one message comes to one place.

Facts come by buckets of messages, one bucket after the other.  There is room for the messages of a
bucket.  What follows from their facts is said by `ackproof.conform.judging.fates`, for many
messages at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.conform.judging.fates import fates_of
from ackproof.pipeline.audit.facts import begins, counts_in, first_texts, together
from ackproof.pipeline.audit.squeezed import batch_in
from ackproof.pipeline.audit.tables import TABLES
from ackproof.pipeline.keeping import keep_what_is_loaded

__all__ = ["messages_of"]

#: Facts that are put together at a time, about.
_TOGETHER = 1 << 18


def messages_of(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `messages` that follow from packed rows of `facts`, sorted by bucket."""
    keep_what_is_loaded()
    kept: list[pa.Table] = []
    bucket, count = None, 0
    for row in (row for batch in batches for row in batch.to_pylist()):
        if row["bucket"] != bucket and kept:
            yield from _messages(together(pa.concat_tables(kept)))
            kept, count = [], 0
        bucket = row["bucket"]
        kept.append(pa.Table.from_batches([batch_in(row["rows"], TABLES["facts"])]))
        count += len(kept[-1])
        if count >= _TOGETHER:
            kept = [together(pa.concat_tables(kept))]
            count = 0
    if kept:
        yield from _messages(together(pa.concat_tables(kept)))


def _starts(facts: pa.Table) -> Any:
    """Return the first row of each message."""
    return np.flatnonzero(begins(*(facts.column(name).to_numpy() for name in ("low", "high"))))


def _messages(facts: pa.Table) -> Iterator[pa.RecordBatch]:
    if len(facts):
        starts = _starts(facts)
        order = np.arange(len(facts))
        texts = [first_texts(facts.column(n), starts, order) for n in ("message", "digest")]
        fates = fates_of(counts_in(facts), np.append(starts, len(facts)))
        yield pa.record_batch([*texts, *map(pa.array, fates)], schema=TABLES["messages"])
