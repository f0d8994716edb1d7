"""Streams: all channels of one recording, judged and followed as their columns come."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from ackproof.conform.columns import Columns
from ackproof.conform.events import Event
from ackproof.conform.judging import stream
from ackproof.conform.judging.books import ENDED, enlarged, new_books
from ackproof.conform.judging.following import (
    FRAMES,
    LARGEST,
    WIDTH,
    WINDOW,
    enlarged_notes,
    most_facts,
    new_notes,
)
from ackproof.conform.judging.refusals import refusal_of
from ackproof.conform.violations import Violation

__all__ = ["Stream", "Streams"]


class Stream:
    """One channel.

    There is little to come of a channel that has ended, and a recording may have very many of them;
    what is kept of one is packed.

    Attributes:
        known: what is known of it.
        books: what its judge keeps.
        notes: what is kept of its messages.

    What is packed is None: compiled code that was given less than it reads would not notice.

    Args:
        packs: whether what is kept of a channel that has ended is packed; not worth it where
            there is one channel at a time.
    """

    __slots__ = ("_packed", "_packs", "_totals", "books", "known", "notes")

    def __init__(self, packs: bool = True) -> None:
        self._packs = packs
        self.known: Any = np.zeros(stream.KNOWN, np.int64)
        self.books: Any = new_books(False)
        self.notes: Any = new_notes()
        self._packed: tuple[bytes, bytes] | None = None
        self._totals: Any = None

    def take(
        self, columns: Any, rows: Any, event_of: Callable[[int], Event]
    ) -> tuple[list[tuple[int, Violation]], Any]:
        """Take events; return what is refused, by row, and the facts that follow.

        Args:
            columns: numbers by column and row, as `stream` has them.
            rows: which of them are of the channel, in its order.
            event_of: returns the event of a row.
        """
        self._unpack()
        known = self.known
        found: list[tuple[int, Violation]] = []
        facts = np.empty((most_facts(self.notes, len(rows)), WIDTH), np.int64)
        known[stream.PLACE] = known[stream.FOUND] = 0
        while end := stream.run(known, self.books, self.notes, columns, rows, facts):
            if end == stream.ROOM:
                self.books, self.notes = enlarged(self.books), enlarged_notes(self.notes)
                continue
            row = int(rows[known[stream.PLACE]])
            event = event_of(row)
            refusal = refusal_of(end, self.books, event)
            position = int(known[stream.POSITION]) - 1
            found.append(
                (row, Violation(event, position, refusal.name, refusal.rules, refusal.why))
            )
            known[stream.PLACE] += 1
        facts = facts[: known[stream.FOUND]]
        if self._packs and self.books[ENDED]:
            self._pack()
        return found, facts

    @property
    def packed(self) -> bool:
        """Tell whether the channel has ended, and its notes cannot be looked at."""
        return self._packed is not None

    def _pack(self) -> None:
        books, notes = (zlib.compress(kept, 1) for kept in (self.books, self.notes))
        self._packed = books, notes
        self._totals = self.notes[: WINDOW + 1].copy()
        self.books = self.notes = None

    def _unpack(self) -> None:
        if self._packed is not None:
            unpacked = (np.frombuffer(zlib.decompress(kept), np.int64) for kept in self._packed)
            self.books, self.notes = (kept.copy() for kept in unpacked)
            self._packed = None

    @property
    def events(self) -> int:
        """Return how many events there were, those that were recorded twice once."""
        return int(self.known[stream.EVENTS])

    @property
    def gaps(self) -> int:
        """Return how many times events were missing, the beginning included."""
        return int(self.known[stream.GAPS])

    @property
    def frames(self) -> int:
        """Return how many acks and nacks there were."""
        return self._total(FRAMES)

    @property
    def largest(self) -> int:
        """Return how many messages one of them has settled at most."""
        return self._total(LARGEST)

    @property
    def window(self) -> int:
        """Return how many messages waited for their confirm at the same time, at most."""
        return self._total(WINDOW)

    def _total(self, number: int) -> int:
        return int((self._totals if self.packed else self.notes)[number])


class Streams:
    """The channels of a recording.

    Attributes:
        violations: what was found, the first of each channel that was opened.
    """

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self._streams: dict[tuple[str, int], Stream] = {}

    def take(self, columns: Columns) -> list[Any]:
        """Take the next events; return the facts that follow, an array for each channel."""
        refused: list[tuple[int, Violation]] = []
        told = []
        for rows in columns.by_channel():
            first = int(rows[0])
            key = columns.connection(first), int(columns.channels[first])
            found, facts = self._stream(key).take(columns.numbers, rows, columns.event)
            refused += found
            told.append(facts)
        self.violations += [violation for _, violation in sorted(refused, key=lambda item: item[0])]
        return told

    def _stream(self, key: tuple[str, int]) -> Stream:
        found = self._streams.get(key)
        if found is None:
            found = self._streams[key] = Stream()
        return found

    @property
    def channels(self) -> int:
        """Return how many channels there were."""
        return len(self._streams)

    @property
    def events(self) -> int:
        """Return how many events there were, those that were recorded twice once."""
        return sum(found.events for found in self._streams.values())

    @property
    def gaps(self) -> int:
        """Return how many times events of a channel were missing, its beginning included."""
        return sum(found.gaps for found in self._streams.values())

    @property
    def frames(self) -> int:
        """Return how many acks and nacks there were."""
        return sum(found.frames for found in self._streams.values())

    @property
    def largest(self) -> int:
        """Return how many messages one of them has settled at most."""
        return max((found.largest for found in self._streams.values()), default=0)

    @property
    def window(self) -> int:
        """Return how many messages of one channel waited at the same time, at most."""
        return max((found.window for found in self._streams.values()), default=0)
