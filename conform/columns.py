"""Columns: many events at once, as numbers, whoever has made them.

A column is a row of one array, so that the events of a recording are judged without an object for
each (`ackproof.conform.judging.stream`).  The texts of an event are numbers there, and who wants to
say something of an event asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging import stream
from ackproof.conform.judging.facts import BITS, NUMBER, bits_of
from ackproof.conform.judging.texts import HERE, Numbering, Texts, joined, mixed

__all__ = ["Columns", "columns_of", "filled"]

_FLAGS = attrgetter(*BITS)


@dataclass(frozen=True)
class Columns:
    """Events as columns.

    Attributes:
        numbers: by column and row, as `stream` has them.
        connections: of each row, as a number below 2^47.
        channels: of each row.
        connection: returns the name of the connection of a row.
        event: returns the event of a row.
        message: of each row, what its message is called.
        digest: of each row, the digest of its message.
        names: the text of each number that stands for a queue or a consumer.
    """

    numbers: Any
    connections: Any
    channels: Any
    connection: Callable[[int], str]
    event: Callable[[int], Event]
    message: Texts
    digest: Texts
    names: Mapping[int, str]

    def by_channel(self) -> Iterator[Any]:
        """Yield the rows of each channel, in order."""
        keys = self.connections << 16 | self.channels
        order = np.argsort(keys, kind="stable")
        ends = np.flatnonzero(np.diff(keys[order])) + 1
        yield from np.split(order, ends) if len(order) else ()


def filled(
    numbers: Any, exchange: Any, key: Any, message: Texts, digest: Texts, numbering: Numbering
) -> None:
    """Put what identifies messages into columns.

    Args:
        numbers: columns, with all else in them.
        exchange: a number for each row.
        key: a number for each row.
        message: a text for each row.
        digest: a text for each row.
        numbering: of texts.
    """
    low, high = numbering.pairs(message, digest)
    numbers[stream.LOW], numbers[stream.HIGH] = low, high
    numbers[stream.IDENTITY] = mixed(exchange, key, low)


def columns_of(events: Sequence[Event], numbering: Numbering = HERE) -> Columns:
    """Return events as columns."""
    numbers = np.empty((stream.COLUMNS, len(events)), np.int64)
    numbers[stream.KIND] = [NUMBER[event.kind] for event in events]
    numbers[stream.BITS] = _bits(events)
    numbers[stream.TAG] = np.array([event.tag for event in events], np.uint64).view(np.int64)
    numbers[stream.PREFETCH] = [event.prefetch for event in events]
    numbers[stream.NUMBER] = [event.number for event in events]
    numbers[stream.TIME] = np.array([event.time for event in events], np.float64).view(np.int64)
    names = _numbered(numbers[stream.CONSUMER], [event.consumer for event in events], numbering)
    names |= _numbered(numbers[stream.QUEUE], [event.queue for event in events], numbering)
    exchange, key = np.empty((2, len(events)), np.int64)
    _numbered(exchange, [event.exchange for event in events], numbering)
    _numbered(key, [event.key for event in events], numbering)
    message = joined([event.message for event in events])
    digest = joined([event.digest for event in events])
    filled(numbers, exchange, key, message, digest, numbering)
    connections = {name: place for place, name in enumerate({e.connection for e in events})}
    return Columns(
        numbers,
        np.array([connections[event.connection] for event in events], np.int64),
        np.array([event.channel for event in events], np.int64),
        lambda row: events[row].connection,
        events.__getitem__,
        message,
        digest,
        names,
    )


def _bits(events: Sequence[Event]) -> list[int]:
    """Return what `bits_of` says of each event; most of them have only few of the flags."""
    found: dict[tuple[bool, ...], int] = {}
    bits = []
    for event, flags in zip(events, map(_FLAGS, events), strict=True):
        if event.kind == Kind.CHANNEL_CLOSE:
            bits.append(bits_of(event))
            continue
        if flags not in found:
            found[flags] = bits_of(event)
        bits.append(found[flags])
    return bits


def _numbered(column: Any, texts: Sequence[str], numbering: Numbering) -> dict[int, str]:
    """Fill a column with the numbers of texts; return the text of each number."""
    numbers = numbering.of(texts)
    column[:] = [numbers[text] for text in texts]
    return {number: text for text, number in numbers.items()}
