"""Facts: what batches of events have shown of messages, and how such facts are put together.

A fact is about one message, which two numbers stand for, and, if it was handed out, about one
queue.  It counts.  The texts of a message are with those facts in whose batch its content was,
which is at least one of them; a confirm that comes later has no texts.

Facts travel by buckets of messages, many in a row, so that what is sorted on the way are few rows.
Whoever brings those of a bucket together has room for its messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.conform.judging import facts as e
from ackproof.conform.judging import stream
from ackproof.conform.judging.following import ACKED, DELIVERED, NACKED, PUBLISHED, RETURNED
from ackproof.pipeline.audit.segments import Segments
from ackproof.pipeline.audit.tables import FACTS, TABLES, Packer

__all__ = ["Facts", "begins", "counts_in", "facts_of", "first_texts", "together"]

#: Facts that are put together at a time, about.
_MOST = 1 << 17
#: Messages are divided into 256 buckets, by the first bits of their first number.
_SHIFT = 56
#: What spreads the bits of a number, and the last bits of one that facts are sorted by.
_ODD, _ODDER = np.int64(0x1E3779B97F4A7C15), np.int64(0x2545F4914F6CDD1D)
_REST = np.int64(0xFF)
_TEXTS = ("message", "digest")

_WITH_CONTENT = (e.PUBLISH, e.DELIVER, e.GET_OK, e.RETURN)
#: Which column of `FACTS` a fact counts in; what is delivered, and marked, in the one behind.
_COLUMN = {PUBLISHED: 0, ACKED: 1, NACKED: 2, RETURNED: 3, DELIVERED: 4}
_COLUMNS = np.array([_COLUMN[what] for what in range(len(_COLUMN))])


class Facts:
    """Facts that are kept until there are many, and handed on by buckets then."""

    def __init__(self, packer: Packer) -> None:
        self._packer = packer
        self._kept: list[pa.RecordBatch] = []
        self._count = 0

    def add(self, facts: pa.RecordBatch) -> None:
        """Add facts."""
        self._kept.append(facts)
        self._count += len(facts)
        if self._count >= _MOST:
            self.flush()

    def flush(self) -> None:
        """Hand on what there is."""
        facts = together(pa.Table.from_batches(self._kept, TABLES["facts"]))
        self._kept, self._count = [], 0
        buckets = facts.column("low").to_numpy() >> _SHIFT
        starts = np.flatnonzero(begins(buckets)).tolist()
        for start, end in pairwise([*starts, len(facts)]):
            (rows,) = facts.slice(start, end - start).combine_chunks().to_batches()
            self._packer.put("facts", rows, int(buckets[start]))


def facts_of(told: Any, queues: Mapping[int, str], segments: Segments) -> pa.RecordBatch:
    """Return rows of `facts`, of what following some events has told.

    Args:
        told: as `ackproof.conform.judging.following` tells it.
        queues: the texts of numbers that stand for queues.
        segments: the events.
    """
    what, low, high, other, more = told.T
    delivered = what == DELIVERED
    queue = np.where(delivered, other, 0)
    # By one number, which is faster than by three; where that is the same for others, which hardly
    # ever happens, facts that could be one are several.
    order = np.argsort(low & ~_REST | (high * _ODD + queue * _ODDER) >> _SHIFT & _REST)
    low, high, queue = low[order], high[order], queue[order]
    starts = np.flatnonzero(begins(low, high, queue))
    column = (_COLUMNS[what] + (delivered & (more != 0)))[order]
    counts = [np.add.reduceat((column == c).astype(np.int64), starts) for c in range(len(FACTS))]
    low, high, queue = low[starts], high[starts], queue[starts]
    rows = _content(low, segments)
    texts = [column.take(rows) for column in (segments.message, segments.digest)]
    names = pa.array([queues[number] for number in queue.tolist()], pa.string())
    arrays = [pa.array(low), pa.array(high), *texts, names, *map(pa.array, counts)]
    return pa.record_batch(arrays, schema=TABLES["facts"])


def _content(low: Any, segments: Segments) -> pa.Array:
    """Return in which row the content of each message is; null where it is in none."""
    rows = np.flatnonzero(np.isin(segments.numbers[stream.KIND], _WITH_CONTENT))
    if not len(rows):
        return pa.nulls(len(low), pa.int64())
    known, first = np.unique(segments.numbers[stream.LOW, rows], return_index=True)
    place = np.minimum(np.searchsorted(known, low), len(known) - 1)
    return pa.array(rows[first[place]], mask=known[place] != low)


def begins(*columns: Any) -> Any:
    """Return for each row whether it differs from the one before."""
    found = np.zeros(len(columns[0]), bool)
    found[:1] = True
    for column in columns:
        found[1:] |= column[1:] != column[:-1]
    return found


def counts_in(facts: pa.Table) -> Any:
    """Return the counts of facts, a row for each column."""
    return np.stack([facts.column(name).to_numpy() for name in FACTS])


def together(facts: pa.Table) -> pa.Table:
    """Put facts together that are about the same message and queue; return them sorted."""
    if not len(facts):
        return facts
    low, high = (facts.column(name).to_numpy() for name in ("low", "high"))
    queue = facts.column("queue").combine_chunks().dictionary_encode().indices.to_numpy()
    # What is sorted are numbers; of texts only those are copied that are left.
    order = np.lexsort((queue, high, low))
    starts = np.flatnonzero(begins(low[order], high[order], queue[order]))
    rows = order[starts]
    columns = {"low": low[rows], "high": high[rows]}
    columns |= {name: first_texts(facts.column(name), starts, order) for name in _TEXTS}
    columns["queue"] = facts.column("queue").combine_chunks().take(pa.array(rows))
    counts = np.add.reduceat(counts_in(facts)[:, order], starts, axis=1)
    columns |= dict(zip(FACTS, counts, strict=True))
    arrays = [pa.array(columns[name]) for name in TABLES["facts"].names]
    return pa.table(arrays, schema=TABLES["facts"])


def first_texts(column: pa.ChunkedArray, starts: Any, order: Any) -> pa.Array:
    """Return the first text from each start to the next, of a column in some order."""
    missing = column.is_null().to_numpy()[order]
    rows = np.where(missing, len(missing), np.arange(len(missing)))
    first = np.minimum.reduceat(rows, starts)
    none = first == len(missing)
    return column.combine_chunks().take(pa.array(order[np.where(none, 0, first)], mask=none))
