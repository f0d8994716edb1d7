"""The account of messages: all that channels have shown of one message comes to one place.

Facts are divided by message, and sorted, so those of one message follow each other.  What follows
from them is said by `ackproof.conform.account`, message by message; there is room for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from ackproof.conform.account import Fate
from ackproof.conform.following import Identity
from ackproof.pipeline.audit.tables import COUNTS, batch_of
from ackproof.pipeline.keeping import keep_what_is_loaded

__all__ = ["messages_of"]

#: Messages in a batch.
_TOGETHER = 1 << 13


def messages_of(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `messages` that follow from sorted rows of `facts`."""
    keep_what_is_loaded()
    rows: list[tuple[Any, ...]] = []
    for message, fate in _fates(batches):
        rows.append(_row(message, fate))
        if len(rows) == _TOGETHER:
            yield batch_of("messages", rows)
            rows = []
    if rows:
        yield batch_of("messages", rows)


def _fates(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Identity, Fate]]:
    message, fate = None, Fate()
    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        for name, digest, queue, *counts in zip(*columns, strict=True):
            if (name, digest) != message:
                if message is not None:
                    yield message, fate
                message, fate = (name, digest), Fate()
            _add(fate, queue, *counts)
    if message is not None:
        yield message, fate


def _add(fate: Fate, queue: str | None, *counts: int) -> None:
    for name, count in zip(COUNTS, counts, strict=False):
        setattr(fate, name, getattr(fate, name) + count)
    if queue is not None:
        fresh, marked = counts[len(COUNTS) :]
        known = fate.delivered.setdefault(queue, [0, 0])
        known[0] += fresh
        known[1] += marked


def _row(message: Identity, fate: Fate) -> tuple[Any, ...]:
    counts = (getattr(fate, name) for name in COUNTS)
    deliveries = fate.deliveries(), fate.strangers()
    return *message, *counts, *deliveries, *fate.seen(), *fate.unseen(), *fate.duplicated()
