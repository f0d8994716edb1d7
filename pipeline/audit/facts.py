"""Facts: what events have shown of messages, and the texts that messages are known by.

A fact is about one message, which two numbers stand for, and, if it was handed out, about one
queue, for which one number stands.  It counts.  The texts of a message go another way: whoever
reads its content knows them, and whoever judges its channel has no use for them.  So a channel with
half of all events is no more work for its judge than it must be.

Both travel by buckets of messages, many in a row, so that what is sorted on the way are few rows.
Whoever brings those of a bucket together has room for its messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.conform.columns import Columns
from ackproof.conform.judging import facts as e
from ackproof.conform.judging import stream
from ackproof.conform.judging.gathering import gathered, grouped
from ackproof.conform.judging.texts import Texts
from ackproof.pipeline.audit.squeezed import squeezed
from ackproof.pipeline.audit.tables import TABLES, Packer

__all__ = ["Facts", "KnownTexts"]

#: Facts that are put together at a time, about; texts, and bytes of them.
_MOST = 1 << 17
_MOST_TEXTS, _MOST_BYTES = 1 << 18, 32 << 20
#: Messages are divided into 256 buckets, by the first bits of their first number.
_SHIFT = 56

#: Which kinds of events have the content of a message.
_WITH_CONTENT = np.zeros(256, bool)
_WITH_CONTENT[[e.PUBLISH, e.DELIVER, e.GET_OK, e.RETURN]] = True


def _by_bucket(low: Any) -> tuple[Any, list[tuple[int, int, int]]]:
    """Return rows in the order of their buckets, and each bucket, with its start and its end."""
    buckets = (low >> _SHIFT).astype(np.int8)
    order = np.argsort(buckets, kind="stable")
    buckets = buckets[order]
    starts = np.flatnonzero(np.diff(buckets, prepend=buckets[:1] - 1)).tolist()
    ends = pairwise([*starts, len(low)])
    return order, [(int(buckets[start]), start, end) for start, end in ends]


class Facts:
    """Facts that are kept until there are many, and handed on by buckets then."""

    def __init__(self, packer: Packer) -> None:
        self._packer = packer
        self._kept: list[Any] = []
        self._count = 0

    def add(self, told: Any) -> None:
        """Add facts, as `ackproof.conform.judging.following` finds them."""
        self._kept.append(told)
        self._count += len(told)
        if self._count >= _MOST:
            self.flush()

    def flush(self) -> None:
        """Hand on what there is."""
        if not self._count:
            return
        facts = gathered(np.concatenate(self._kept))
        self._kept, self._count = [], 0
        order, buckets = _by_bucket(facts[0])
        facts = facts[:, order]
        for bucket, start, end in buckets:
            self._packer.put_numbers("facts", facts[:, start:end], bucket)


class KnownTexts:
    """Texts that are kept until there are many, and handed on by buckets then."""

    def __init__(self) -> None:
        self._kept: list[pa.RecordBatch] = []
        self._count = self._bytes = 0

    def add(self, columns: Columns) -> None:
        """Add those that events have, each once."""
        rows = np.flatnonzero(_WITH_CONTENT[columns.numbers[stream.KIND]])
        if not len(rows):
            return
        low, high = (columns.numbers[column, rows] for column in (stream.LOW, stream.HIGH))
        firsts = grouped(low, high, np.zeros_like(low))[1]
        place = pa.array(rows[firsts])
        texts = [_array(found).take(place) for found in (columns.message, columns.digest)]
        numbers = [pa.array(low[firsts]), pa.array(high[firsts])]
        self._kept.append(pa.record_batch([*numbers, *texts], schema=TABLES["texts"]))
        self._count += len(firsts)
        self._bytes += self._kept[-1].nbytes

    @property
    def many(self) -> bool:
        """Whether there are enough of them to be handed on."""
        return self._count >= _MOST_TEXTS or self._bytes >= _MOST_BYTES

    def flush(self) -> Iterator[tuple[int, bytes]]:
        """Yield what there is: buckets, each with its texts as they travel."""
        if not self._kept:
            return
        (texts,) = pa.Table.from_batches(self._kept).combine_chunks().to_batches()
        self._kept, self._count, self._bytes = [], 0, 0
        order, buckets = _by_bucket(texts.column("low").to_numpy())
        texts = texts.take(pa.array(order))
        for bucket, start, end in buckets:
            yield bucket, squeezed(texts.slice(start, end - start))


def _array(texts: Texts) -> pa.StringArray:
    ends, data = (pa.py_buffer(np.ascontiguousarray(part)) for part in texts)
    return pa.StringArray.from_buffers(len(texts[0]) - 1, ends, data)
