"""The account of messages: all that channels have shown of one message comes to one place.

Facts and texts come by buckets of messages, one bucket after the other.  There is room for the
messages of a bucket.  What follows from their facts is said by `ackproof.conform.judging.fates`,
for many messages at once.

An event that was recorded twice has shown nothing, and there may be texts of a message of which
nothing else is known: it is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.conform.judging.fates import fates_of
from ackproof.conform.judging.gathering import grouped, in_groups, summed
from ackproof.pipeline.audit.squeezed import batch_in, numbers_in
from ackproof.pipeline.audit.tables import FACTS, TABLES
from ackproof.pipeline.keeping import keep_what_is_loaded

__all__ = ["messages_of"]

#: Facts that are put together at a time, about.
_TOGETHER = 1 << 18


def messages_of(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `messages` that follow from packed rows of a part, sorted by bucket.

    Args:
        batches: packed rows of `facts` and of `texts`.
    """
    keep_what_is_loaded()
    rows = (row for batch in batches for row in batch.to_pylist())
    for _, bucket in groupby(rows, itemgetter("bucket")):
        yield from _messages(bucket)


def _messages(rows: Iterator[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    """Yield the messages of a bucket."""
    facts, count, texts = list[Any](), 0, [TABLES["texts"].empty_table()]
    for row in rows:
        if row["table"] == "texts":
            texts.append(pa.Table.from_batches([batch_in(row["rows"], TABLES["texts"])]))
            continue
        facts.append(numbers_in(row["rows"], len(FACTS)))
        count += facts[-1].shape[1]
        if count >= _TOGETHER:
            facts, count = [_together(facts)], 0
    if facts:
        yield _fates(_together(facts), pa.concat_tables(texts).combine_chunks())


def _together(some: list[Any]) -> Any:
    """Put facts together that are about the same message and queue."""
    facts = np.concatenate(some, axis=1)
    groups, firsts = grouped(*facts[:3])
    return np.concatenate([facts[:3, firsts], summed(facts[3:], groups, len(firsts))])


def _fates(facts: Any, texts: pa.Table) -> pa.RecordBatch:
    """Return the messages that some facts are about."""
    low, high = (
        np.concatenate([own, texts.column(name).to_numpy()])
        for own, name in zip(facts, ("low", "high"), strict=False)
    )
    groups, firsts = grouped(low, high, np.zeros_like(low))
    own, theirs = np.split(groups, [facts.shape[1]])
    # Facts come first, so what has texts only has the last numbers.
    count = int(np.count_nonzero(firsts < len(own)))
    order, starts = in_groups(own, count)
    fates = fates_of(facts[3:, order], starts)
    rows = np.full(len(firsts), -1)
    rows[theirs] = np.arange(len(theirs))
    place = pa.array(rows[:count], mask=rows[:count] < 0)
    said = [texts.column(name).combine_chunks().take(place) for name in ("message", "digest")]
    return pa.record_batch([*said, *map(pa.array, fates)], schema=TABLES["messages"])
