"""The second half: each part judges its channels, one after the other, and follows their messages.

The segments of a part come sorted, so a channel is in one piece and in the order in which it was
recorded, and there is one judge at a time: the judge of `ackproof.conform`, which has room for what
is in flight only.  A channel with half of all events takes as much memory as any other; it is
judged by one task, while others do the rest.

What a batch of segments shows of messages is put together: of most messages the publish and its
confirm are one fact then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from ackproof.conform.account import counts_of, latencies_of
from ackproof.conform.document import found_of
from ackproof.conform.events import Event
from ackproof.conform.streams import Stream
from ackproof.pipeline.audit.facts import Facts, facts_of
from ackproof.pipeline.audit.segments import Segments
from ackproof.pipeline.audit.tables import SUMS, Packer
from ackproof.pipeline.keeping import keep_what_is_loaded

__all__ = ["Judging"]

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
            rows = batch.to_pylist()
            for row in rows:
                if row["bad"] is not None:
                    name = self.names[row["recording"]]
                    packer.add("quarantine", (name, row["first"], row["bad"]))
            part.take([row for row in rows if row["bad"] is None])
            yield from packer.full()
        part.close()
        yield from packer.rest()


class _Part:
    """One part, as its segments come."""

    def __init__(self, names: tuple[str, ...], packer: Packer) -> None:
        self._names = names
        self._packer = packer
        self._facts = Facts(packer)
        self._channel: _Channel | None = None

    def take(self, rows: list[dict[str, Any]]) -> None:
        """Judge the next segments."""
        if not rows:
            return
        segments = Segments([row["events"] for row in rows])
        told: list[Any] = []
        queues, start = {0: ""}, 0
        for row, end in zip(rows, segments.ends, strict=True):
            place = self._names[row["recording"]], row["connection"], row["channel"]
            channel = self._channel_at(place)
            channel.names |= dict(msgspec.json.decode(row["names"], type=_NAMES))
            told.append(channel.take(segments, start, end))
            queues |= channel.names
            start = end
        found = np.concatenate(told)
        self._facts.add(facts_of(found, queues, segments))
        self._packer.put("latencies", pa.record_batch([latencies_of(found)], ["seconds"]))

    def close(self) -> None:
        """There is no more of it."""
        if self._channel is not None:
            self._channel.close()
        self._facts.flush()

    def _channel_at(self, place: tuple[str, str, int]) -> _Channel:
        channel = self._channel
        if channel is None or channel.place != place:
            if channel is not None:
                channel.close()
            channel = self._channel = _Channel(place, self._packer)
        return channel


class _Channel:
    """One channel, as its segments come.

    Attributes:
        place: its recording, its connection, and its number.
        names: the texts of numbers that stand for queues and consumers.
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
            where = *self.place, found.number, int(segments.places[row])
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
