"""Columns: many events at once, as numbers, whoever has made them.

A column is a row of one array, so that the events of a recording are judged without an object for
each (`ackproof.conform.judging.stream`).  The texts of an event are numbers there, and who wants to
say something of an event asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ackproof.conform.events import Event
from ackproof.conform.judging import stream
from ackproof.conform.judging.facts import NUMBER, bits_of
from ackproof.conform.judging.texts import joined, mixed, number_of, numbers_of

__all__ = ["MOST", "Columns", "Texts", "columns_of", "filled"]

#: Numbers on the wire have 64 bits without a sign; none that can be right is beyond this.
MOST = (1 << 63) - 1

#: Where texts end, and their bytes.
Texts = tuple[Any, Any]


@dataclass(frozen=True)
class Columns:
    """Events as columns.

    Attributes:
        numbers: by column and row, as `stream` has them.
        connections: of each row, as a number below 2^47.
        channels: of each row.
        event: returns the event of a row.
    """

    numbers: Any
    connections: Any
    channels: Any
    event: Callable[[int], Event]

    def by_channel(self) -> Iterator[Any]:
        """Yield the rows of each channel, in order."""
        keys = self.connections << 16 | self.channels
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order])) + 1
        yield from np.split(order, ends) if len(order) else ()


def filled(numbers: Any, exchange: Any, key: Any, message: Texts, digest: Texts) -> Any:
    """Put what identifies messages into columns, and return them.

    Args:
        numbers: columns, with all else in them.
        exchange: a number for each row.
        key: a number for each row.
        message: a text for each row.
        digest: a text for each row.
    """
    low, high = numbers_of(*digest, numbers_of(*message)).view(np.int64)
    numbers[stream.LOW], numbers[stream.HIGH] = low, high
    numbers[stream.IDENTITY] = mixed(exchange, key, low)
    return numbers


def columns_of(events: Sequence[Event]) -> Columns:
    """Return events as columns."""
    numbers = np.empty((stream.COLUMNS, len(events)), np.int64)
    numbers[stream.KIND] = [NUMBER[event.kind] for event in events]
    numbers[stream.BITS] = [bits_of(event) for event in events]
    numbers[stream.TAG] = [min(event.tag, MOST) for event in events]
    numbers[stream.PREFETCH] = [min(event.prefetch, MOST) for event in events]
    numbers[stream.NUMBER] = [event.number for event in events]
    numbers[stream.TIME] = np.array([event.time for event in events], np.float64).view(np.int64)
    numbers[stream.CONSUMER] = [number_of(event.consumer) for event in events]
    numbers[stream.QUEUE] = [number_of(event.queue) for event in events]
    names = {name: place for place, name in enumerate({event.connection for event in events})}
    return Columns(
        filled(
            numbers,
            np.array([number_of(event.exchange) for event in events], np.int64),
            np.array([number_of(event.key) for event in events], np.int64),
            joined([event.message for event in events]),
            joined([event.digest for event in events]),
        ),
        np.array([names[event.connection] for event in events], np.int64),
        np.array([event.channel for event in events], np.int64),
        events.__getitem__,
    )
