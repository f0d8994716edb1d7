"""The second half: each part judges its channels, one after the other, and follows their messages.

The segments of a part come sorted, so a channel is in one piece and in the order in which it was
recorded, and there is one judge at a time: the judge of `ackproof.conform`, which has room for what
is in flight only.  A channel with half of all events takes as much memory as any other; it is
judged by one task, while others do the rest.

What some segments show of messages is put together: of most messages the publish and its confirm
are one fact then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ackproof.conform.account import counts_of, latencies_of
from ackproof.conform.document import found_of
from ackproof.conform.events import Event
from ackproof.conform.streams import Stream
from ackproof.pipeline.audit.facts import Facts
from ackproof.pipeline.audit.segments import Segments, events_in
from ackproof.pipeline.audit.tables import SUMS, Packer, packed
from ackproof.pipeline.keeping import keep_what_is_loaded

__all__ = ["Judging"]

#: Events that are judged at a time, about: there is room for them.
_TOGETHER = 1 << 17
_NAMES = list[tuple[int, str]]


@dataclass(frozen=True)
class Judging:
    """The work of all parts.

    Args:
        names: what the recordings are called.
    """

    names: tuple[str, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Judge the parts whose segments these are, sorted; yield packed rows of tables."""
        keep_what_is_loaded()
        packer = Packer()
        part = _Part(self.names, packer)
        for batch in batches:
            passing, rows = _divided(batch)
            if len(passing):
                yield packed("texts", passing.column("bucket"), passing.column("events"))
            for row in rows.to_pylist():
                if row["bad"] is None:
                    part.take(row)
                    continue
                name = self.names[row["recording"]]
                packer.add("quarantine", (name, row["first"], row["bad"]))
            part.flush()
            yield from packer.full()
        part.close()
        yield from packer.rest()


def _divided(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """Return the texts of messages, at which nobody looks here, and what is to be judged."""
    there = batch.column("bucket").is_valid()
    count = there.true_count
    if not there[:count].false_count:  # they come first, and need not be copied
        return batch.slice(0, count), batch.slice(count)
    return batch.filter(there), batch.filter(pc.invert(there))


class _Part:
    """One part, as its segments come."""

    def __init__(self, names: tuple[str, ...], packer: Packer) -> None:
        self._names = names
        self._packer = packer
        self._facts = Facts(packer)
        self._channel: _Channel | None = None
        self._place = (-1, "", 0)
        self._waiting: list[dict[str, Any]] = []
        self._events = 0

    def take(self, row: dict[str, Any]) -> None:
        """Take the next segment, which is judged when there are many events."""
        self._waiting.append(row)
        self._events += events_in(row["events"])
        if self._events >= _TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Judge the segments that wait."""
        rows, self._waiting, self._events = self._waiting, [], 0
        if not rows:
            return
        segments, start = Segments([row["events"] for row in rows]), 0
        told: list[Any] = []
        for row, end in zip(rows, segments.ends, strict=True):
            channel = self._channel_at((row["recording"], row["connection"], row["channel"]))
            channel.names |= msgspec.json.decode(row["names"], type=_NAMES)
            told.append(channel.take(segments, start, end))
            start = end
        found = np.concatenate(told)
        self._facts.add(found)
        self._packer.put("latencies", pa.record_batch([latencies_of(found)], ["seconds"]))

    def close(self) -> None:
        """There is no more of it."""
        self.flush()
        if self._channel is not None:
            self._channel.close()
        self._facts.flush()

    def _channel_at(self, place: tuple[int, str, int]) -> _Channel:
        channel = self._channel
        if channel is None or place != self._place:
            if channel is not None:
                channel.close()
            where = self._names[place[0]], *place[1:]
            channel, self._place = _Channel(where, self._packer), place
            self._channel = channel
        return channel


class _Channel:
    """One channel, as its segments come.

    Attributes:
        place: its recording, its connection, and its number.
        names: the texts of numbers that stand for consumers.
    """

    def __init__(self, place: tuple[str, str, int], packer: Packer) -> None:
        self.place = place
        self.names: dict[int, str] = {}
        self._packer = packer
        self._counts = np.zeros(len(SUMS), np.int64)
        self._stream = Stream(packs=False)

    def take(self, segments: Segments, start: int, end: int) -> Any:
        """Judge the next rows; return the facts that follow."""
        recording, connection, channel = self.place

        def event_of(row: int) -> Event:
            return segments.event(row, connection, channel, self.names)

        rows = np.arange(start, end)
        refused, facts = self._stream.take(segments.numbers, rows, event_of)
        for row, violation in refused:
            found = found_of(recording, violation)
            where = *self.place, found.number, int(segments.places[row]), found.time
            said = found.event, found.property, found.rules, found.why
            self._packer.add("violations", (*where, *said))
        counts = counts_of(facts)
        self._counts[: len(counts)] += counts
        return facts

    def close(self) -> None:
        """There is no more of it: say how much there was."""
        stream = self._stream
        counts = dict(zip(SUMS, self._counts.tolist(), strict=True))
        counts |= {"frames": stream.frames, "events": stream.events, "gaps": stream.gaps}
        most = stream.largest, stream.window
        self._packer.add("channels", (*self.place, *counts.values(), *most))
