"""Segments: what a task has read of one channel, in order, as columns of Arrow.

Many events travel in one row, for what costs on the way is the row and not its bytes.  Of an event
travels what the judge asks for, as `ackproof.conform.columns` has it: numbers, the place in the
recording, and the two texts that a message is known by.  Numbers stand for the same texts on all
machines, since those of one audit have one seed; a segment says which queues and consumers are
meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.conform.columns import Columns
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging import stream
from ackproof.conform.judging.texts import Texts
from ackproof.pipeline.audit.squeezed import batch_in, squeezed

__all__ = ["EVENTS", "Segment", "Segments", "segments_of"]

_NUMBER = pa.int64()

#: What travels of an event; behind its place are the columns of `stream`, in their order.
EVENTS = pa.schema(
    [
        ("place", _NUMBER),
        *((f"number_{column}", _NUMBER) for column in range(stream.COLUMNS)),
        ("message", pa.string()),
        ("digest", pa.string()),
    ]
)
#: Events of one segment at most.
_MOST = 1 << 14
_KINDS = list(Kind)
_TAGS = 1 << 64


class Segment(NamedTuple):
    """A segment on its way.

    Attributes:
        connection: of the channel.
        channel: its number.
        first: the place of the first event.
        events: the events.
        names: the texts of numbers that stand for queues and consumers.
    """

    connection: str
    channel: int
    first: int
    events: bytes
    names: bytes


def segments_of(places: Any, columns: Columns) -> Iterator[Segment]:
    """Yield the segments of what has been read, channel by channel."""
    channels = list(columns.by_channel())
    if not channels:
        return
    order, start = np.concatenate(channels), 0
    whole = _batch(places, columns, order)
    for rows in channels:
        said = columns.event(int(rows[0]))
        for begin in range(start, start + len(rows), _MOST):
            part = order[begin : min(begin + _MOST, start + len(rows))]
            yield Segment(
                said.connection,
                said.channel,
                int(places[part[0]]),
                squeezed(whole.slice(begin, len(part))),
                _names(columns, part),
            )
        start += len(rows)


def _batch(places: Any, columns: Columns, order: Any) -> pa.RecordBatch:
    numbers = [pa.array(column) for column in columns.numbers[:, order]]
    texts = [_array(found).take(pa.array(order)) for found in (columns.message, columns.digest)]
    return pa.record_batch([pa.array(places[order]), *numbers, *texts], schema=EVENTS)


def _array(texts: Texts) -> pa.StringArray:
    ends, data = (pa.py_buffer(np.ascontiguousarray(part)) for part in texts)
    return pa.StringArray.from_buffers(len(texts[0]) - 1, ends, data)


def _names(columns: Columns, rows: Any) -> bytes:
    used = np.unique(columns.numbers[[[stream.CONSUMER], [stream.QUEUE]], rows])
    return msgspec.json.encode([(n, columns.names[n]) for n in used.tolist() if n])


class Segments:
    """Some segments, together.

    Args:
        events: of each segment, as it has travelled.

    Attributes:
        places: of all events.
        numbers: of all events, by column and row.
        message: what the message of each is called.
        digest: the digest of each message.
        ends: the first row behind each segment.
    """

    def __init__(self, events: Sequence[bytes]) -> None:
        batches = [batch_in(said, EVENTS) for said in events]
        self.ends = np.cumsum([len(batch) for batch in batches]).tolist()
        whole = np.empty((1 + stream.COLUMNS, self.ends[-1]), np.int64)
        for batch, end in zip(batches, self.ends, strict=True):
            for row, column in zip(whole, batch.columns, strict=False):
                row[end - len(batch) : end] = column.to_numpy()
        self.places, self.numbers = whole[0], whole[1:]
        self.message, self.digest = (
            pa.concat_arrays([batch.column(name) for batch in batches])
            for name in ("message", "digest")
        )

    def event(self, row: int, connection: str, channel: int, names: dict[int, str]) -> Event:
        """Return as much of an event as there is."""
        numbers = self.numbers[:, row].tolist()
        return Event(
            _KINDS[numbers[stream.KIND]],
            connection,
            channel,
            numbers[stream.NUMBER],
            tag=numbers[stream.TAG] % _TAGS,
            consumer=names.get(numbers[stream.CONSUMER], ""),
        )
