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
from ackproof.pipeline.audit.tables import batch_of
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
    known, fate = None, Fate()
    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        for name, digest, queue, published, acked, nacked, returned, *times in zip(
            *columns, strict=True
        ):
            message = name, digest
            if message != known:
                if known is not None:
                    yield known, fate
                known, fate = message, Fate()
            fate.published += published
            fate.acked += acked
            fate.nacked += nacked
            fate.returned += returned
            if queue is not None:
                _deliver(fate.delivered, queue, times)
    if known is not None:
        yield known, fate


def _deliver(delivered: dict[str, list[int]], queue: str, times: list[int]) -> None:
    """Add how many times a queue has handed out a message: those not marked, those marked."""
    known = delivered.get(queue)
    delivered[queue] = times if known is None else [known[0] + times[0], known[1] + times[1]]


def _row(message: Identity, fate: Fate) -> tuple[Any, ...]:
    """Return what `messages` has of a message."""
    counts = fate.published, fate.acked, fate.nacked, fate.returned
    deliveries = fate.deliveries(), fate.strangers()
    return *message, *counts, *deliveries, *fate.seen(), *fate.unseen(), *fate.duplicated()
