"""Segments: what a task has read of one channel, in order, as columns of numbers.

Many events travel in one row, for what costs on the way is the row and not its bytes.  Of an event
travels what the judge asks for, as `ackproof.conform.columns` has it: numbers, and the place in the
recording.  Numbers stand for the same texts on all machines, since those of one audit have one
seed; a segment says which consumers are meant.

Places, and the numbers of events, travel as what is added to those before: that is the same again
and again, and compresses to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from ackproof.conform.columns import Columns
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging import stream
from ackproof.pipeline.audit.squeezed import numbers_in, rows_of_numbers, squeezed

__all__ = ["Segment", "Segments", "events_in", "segments_of"]

#: What travels of an event: behind its place are the columns of `stream`, in their order.
_COLUMNS = 1 + stream.COLUMNS
#: Those that are told by what is added.
_ADDED = (0, 1 + stream.NUMBER)
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
        names: the texts of numbers that stand for consumers.
    """

    connection: str
    channel: int
    first: int
    events: bytes
    names: bytes


def segments_of(places: Any, columns: Columns) -> Iterator[Segment]:
    """Yield the segments of what has been read, channel by channel."""
    for rows in columns.by_channel():
        row = int(rows[0])
        connection, channel = columns.connection(row), int(columns.channels[row])
        for begin in range(0, len(rows), _MOST):
            part = rows[begin : begin + _MOST]
            yield Segment(
                connection,
                channel,
                int(places[part[0]]),
                _events(places, columns, part),
                _names(columns, part),
            )


def _events(places: Any, columns: Columns, rows: Any) -> bytes:
    numbers = np.empty((_COLUMNS, len(rows)), np.int64)
    numbers[0] = places[rows]
    columns.numbers.take(rows, axis=1, out=numbers[1:], mode="clip")
    for column in _ADDED:
        numbers[column, 1:] = np.diff(numbers[column])
    return squeezed(numbers)


def _names(columns: Columns, rows: Any) -> bytes:
    used = columns.numbers[stream.CONSUMER, rows]
    numbers = np.unique(used).tolist() if used.any() else ()
    return msgspec.json.encode([(n, columns.names[n]) for n in numbers if n])


def events_in(events: bytes) -> int:
    """Return how many events a segment has."""
    return rows_of_numbers(events, _COLUMNS)


class Segments:
    """Some segments, together.

    Args:
        events: of each segment, as it has travelled.

    Attributes:
        places: of all events.
        numbers: of all events, by column and row.
        ends: the first row behind each segment.
    """

    def __init__(self, events: Sequence[bytes]) -> None:
        self.ends = np.cumsum([events_in(said) for said in events]).tolist()
        whole = np.empty((_COLUMNS, self.ends[-1]), np.int64)
        start = 0
        for said, end in zip(events, self.ends, strict=True):
            part = whole[:, start:end]
            part[:] = numbers_in(said, _COLUMNS)
            for column in _ADDED:
                np.cumsum(part[column], out=part[column])
            start = end
        self.places, self.numbers = whole[0], whole[1:]

    def event(self, row: int, connection: str, channel: int, names: dict[int, str]) -> Event:
        """Return as much of an event as there is."""
        numbers = self.numbers[:, row].tolist()
        return Event(
            _KINDS[numbers[stream.KIND]],
            connection,
            channel,
            numbers[stream.NUMBER],
            float(self.numbers[stream.TIME, row].view(np.float64)),
            tag=numbers[stream.TAG] % _TAGS,
            consumer=names.get(numbers[stream.CONSUMER], ""),
        )
