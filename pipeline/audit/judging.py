"""The second half: each part judges its channels, one after the other, and follows their messages.

The segments of a part come sorted, so a channel is in one piece and in the order in which it was
recorded, and there is one judge at a time: the judge of `ackproof.conform`, which has room for what
is in flight only.  A channel with half of all events takes as much memory as any other; it is
judged by one task, while others do the rest.

What a channel shows of messages is put together as long as there is room for it: of most
messages the publish and its confirm are one fact then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from ackproof.conform.document import found_of
from ackproof.conform.following import Follower, Identity
from ackproof.conform.wellformed import events_of
from ackproof.pipeline.audit.tables import COUNTS, SUMS, Packer
from ackproof.pipeline.keeping import keep_what_is_loaded

__all__ = ["Judging"]

#: Messages of which facts are put together at a time.
_MESSAGES = 1 << 14

#: Where in a fact the counts of deliveries are, behind those of `COUNTS`.
_FRESH = len(COUNTS)


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
        packer, channel = Packer(), None
        facts = _Facts(packer)
        for batch in batches:
            for row in batch.to_pylist():
                name = self.names[row["recording"]]
                if row["bad"] is not None:
                    packer.add("quarantine", (name, row["first"], row["bad"]))
                else:
                    key = row["recording"], row["connection"], row["channel"]
                    if channel is None or channel.key != key:
                        if channel is not None:
                            channel.close()
                        channel = _Channel(name, key, facts)
                    channel.take(row["places"], row["lines"])
                yield from packer.full()
        if channel is not None:
            channel.close()
        facts.flush()
        yield from packer.rest()


class _Facts:
    """What channels have shown of messages, put together."""

    def __init__(self, packer: Packer) -> None:
        self.packer = packer
        self._facts: dict[tuple[str, str, str | None], list[int]] = {}

    def add(self, message: Identity, queue: str | None, what: int) -> None:
        """Count something of a message; deliveries count by queue."""
        key = *message, queue
        fact = self._facts.get(key)
        if fact is None:
            if len(self._facts) == _MESSAGES:
                self.flush()
            fact = self._facts[key] = [0] * (_FRESH + 2)
        fact[what] += 1

    def flush(self) -> None:
        """Hand on what there is."""
        for key, counts in self._facts.items():
            self.packer.add("facts", (*key, *counts))
        self._facts.clear()


class _Channel:
    """One channel, as its segments come."""

    def __init__(self, name: str, key: tuple[int, str, int], facts: _Facts) -> None:
        self.key = key
        self._name = name
        self._facts = facts
        self._packer = facts.packer
        self._counts = dict.fromkeys((*SUMS, "largest", "window"), 0)
        self._follower = Follower(self)

    def take(self, places: bytes, lines: bytes) -> None:
        """Judge the next segment."""
        where: Any = np.frombuffer(places, np.int64)
        for event, violation in self._follower.take(events_of(lines)):
            found = found_of(self._name, violation)
            row = self._name, found.connection, found.channel, found.number, int(where[event])
            said = found.event, found.property, found.rules, found.why
            self._packer.add("violations", (*row, *said))

    def close(self) -> None:
        """There is no more of it: say how much there was."""
        counts, stream = self._counts, self._follower.stream
        counts["events"], counts["gaps"] = stream.events, stream.gaps
        counts["frames"], counts["largest"] = stream.frames, stream.largest
        counts["window"] = stream.window
        self._packer.add("channels", (self._name, *self.key[1:], *counts.values()))

    # -- what the follower tells --------------------------------------------------------------

    def published(self, message: Identity) -> None:
        """It was published."""
        self._counts["published"] += 1
        self._facts.add(message, None, 0)

    def settled(self, message: Identity, ack: bool, seconds: float) -> None:
        """It was confirmed, or refused."""
        self._counts["acked" if ack else "nacked"] += 1
        self._facts.add(message, None, 1 if ack else 2)
        self._packer.add("latencies", (seconds,))

    def returned(self, message: Identity) -> None:
        """It came back."""
        self._counts["returned"] += 1
        self._facts.add(message, None, 3)

    def delivered(self, message: Identity, queue: str, marked: bool) -> None:
        """It was handed out."""
        self._counts["deliveries"] += 1
        self._counts["redelivered"] += marked
        self._facts.add(message, queue, _FRESH + marked)
