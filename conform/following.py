"""Following one channel: its events are judged, and what they say of messages is told in texts.

Judging columns finds facts, which name messages by numbers
(`ackproof.conform.judging.following`).  Here somebody is told the messages themselves: the texts of
those are kept that are in flight, and some more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from ackproof.conform.columns import columns_of
from ackproof.conform.events import Event, Kind
from ackproof.conform.judging import following, stream
from ackproof.conform.streams import Stream
from ackproof.conform.violations import Violation

__all__ = ["Facts", "Follower", "Identity"]

#: What a message is known by, wherever it comes up: message-id, and digest of the body.
Identity = tuple[str, str]

_WITH_CONTENT = frozenset({Kind.PUBLISH, Kind.DELIVER, Kind.GET_OK, Kind.RETURN})
#: Messages that are not in flight any more and whose texts are still kept, at most.
_MORE = 1 << 12


class Facts(Protocol):
    """Who is told what becomes of messages."""

    def published(self, message: Identity) -> None:
        """It was published."""

    def settled(self, message: Identity, ack: bool, seconds: float) -> None:
        """It was confirmed, or refused, so long after it was published."""

    def returned(self, message: Identity) -> None:
        """It came back."""

    def delivered(self, message: Identity, queue: str, marked: bool) -> None:
        """It was handed out; `marked` says perhaps not for the first time."""


class Follower:
    """Follows one channel.

    Attributes:
        stream: what is known of the channel.
    """

    def __init__(self, facts: Facts) -> None:
        self.stream = Stream()
        self._facts = facts
        self._messages: dict[int, Identity] = {}
        self._queues: dict[int, str] = {0: ""}

    def take(self, events: Sequence[Event]) -> list[tuple[int, Violation]]:
        """Take the next events of the channel; return what is refused, by its place among them."""
        if not events:
            return []
        columns = columns_of(events)
        lows = columns.numbers[stream.LOW].tolist()
        for low, event in zip(lows, events, strict=True):
            if event.kind in _WITH_CONTENT:
                self._messages[low] = event.message, event.digest
        self._queues |= columns.names
        refused, facts = self.stream.take(columns.numbers, np.arange(len(events)), columns.event)
        times: Any = np.ascontiguousarray(facts[:, 3:]).view(np.float64)
        for fact, (began, ended) in zip(facts.tolist(), times.tolist(), strict=True):
            self._tell(*fact, seconds=ended - began)
        self._forget()
        return refused

    def _tell(
        self, what: int, low: int, high: int, other: int, more: int, *, seconds: float
    ) -> None:
        message, facts = self._messages[low], self._facts
        if what == following.PUBLISHED:
            facts.published(message)
        elif what == following.DELIVERED:
            facts.delivered(message, self._queues[other], bool(more))
        elif what == following.RETURNED:
            facts.returned(message)
        else:
            facts.settled(message, what == following.ACKED, seconds)

    def _forget(self) -> None:
        """Forget the texts of messages that nothing can be told of any more, if there are many."""
        if self.stream.packed:
            return
        notes = self.stream.notes
        if len(self._messages) > _MORE + 2 * following.count_awaited(notes):
            awaited = following.awaited(notes).tolist()
            self._messages = {low: self._messages[low] for low in awaited}
