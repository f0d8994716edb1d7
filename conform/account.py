"""The account: what became of every message, across channels and connections.

A message is known by its identity.  Where several have the same, nobody can tell which of them was
delivered, so what is said of them is bounds.  Where each has its own, the bounds are equal.

What was confirmed and is never seen to be delivered may be in a queue still, may have been consumed
where nobody recorded it, may have expired, or may be lost.  So it is lost for certain only if
somebody says that the queues are empty, and that all consumers were recorded.

An account keeps every fact, and puts those of one message together when it is asked for sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from ackproof.conform.judging import fates
from ackproof.conform.judging.following import ACKED, DELIVERED, NACKED, PUBLISHED, RETURNED

__all__ = ["Account", "Bounds", "Fate", "Sums"]


class Bounds(NamedTuple):
    """How many at least, and at most."""

    least: int
    most: int


class Sums(NamedTuple):
    """What became of all messages, and how many deliveries were of what nobody has published."""

    seen: Bounds
    unseen: Bounds
    duplicated: Bounds
    strangers: int


class Fate:
    """What became of the messages of one identity."""

    __slots__ = ("acked", "delivered", "nacked", "published", "returned")

    def __init__(self) -> None:
        self.published = self.acked = self.nacked = self.returned = 0
        self.delivered: dict[str, list[int]] = {}  # by queue: those not marked, those marked

    def deliveries(self) -> int:
        """Return how many times any was handed out."""
        return sum([fresh + marked for fresh, marked in self.delivered.values()])

    def strangers(self) -> int:
        """Return how many deliveries there were, if nobody was seen to publish any."""
        return fates.strangers(self.published, self.deliveries())

    def unseen(self) -> Bounds:
        """Return how many were confirmed, not returned, and never delivered."""
        counts = self.published, self.acked, self.returned, self.deliveries()
        return Bounds(*fates.unseen(*counts))

    def duplicated(self) -> Bounds:
        """Return how many deliveries of one queue were not the first, and not marked either."""
        least = most = 0
        for fresh, _ in self.delivered.values():
            if fresh:
                found = fates.duplicated(self.published, fresh)
                least, most = least + found[0], most + found[1]
        return Bounds(least, most)

    def seen(self) -> Bounds:
        """Return how many were delivered at least once."""
        return Bounds(*fates.seen(self.published, self.deliveries()))


class Account:
    """Counts what became of messages.

    Attributes:
        published: how many were published.
        acked: of how many the publisher was told that they are the broker's, commits included.
        nacked: of how many that they are not.
        returned: how many came back.
        deliveries: how many times a message was handed out.
        redelivered: how many of those times it was marked as perhaps not the first.
    """

    def __init__(self) -> None:
        self.published = self.acked = self.nacked = self.returned = 0
        self.deliveries = self.redelivered = 0
        self._latencies: list[Any] = []
        self._facts: list[tuple[Any, ...]] = []

    def add(self, facts: Any) -> None:
        """Add facts of a channel, as `ackproof.conform.judging.following` finds them."""
        what, low, high, other, more = facts.T
        counts = np.bincount(what, minlength=DELIVERED + 1).tolist()
        self.published += counts[PUBLISHED]
        self.acked += counts[ACKED]
        self.nacked += counts[NACKED]
        self.returned += counts[RETURNED]
        self.deliveries += counts[DELIVERED]
        delivered, settled = what == DELIVERED, (what == ACKED) | (what == NACKED)
        self.redelivered += int(more[delivered].sum())
        began, ended = (np.ascontiguousarray(c[settled]).view(np.float64) for c in (other, more))
        self._latencies.append(ended - began)
        queue = np.where(delivered, other, 0)
        marked = (delivered & (more != 0)).astype(np.int8)
        self._facts.append((what.astype(np.int8), low.copy(), high.copy(), queue, marked))

    def latencies(self) -> Any:
        """Return the seconds from publish to confirm, of each, sorted."""
        return np.sort(np.concatenate([np.empty(0), *self._latencies]))

    def sums(self) -> Sums:
        """Return what became of all messages."""
        if not self._facts:
            return Sums(Bounds(0, 0), Bounds(0, 0), Bounds(0, 0), 0)
        what, low, high, queue, marked = map(np.concatenate, zip(*self._facts, strict=True))
        found = fates.sums_of(what, high, queue, marked, np.argsort(low), low).tolist()
        seen, unseen, duplicated, strangers = found
        return Sums(Bounds(*seen), Bounds(*unseen), Bounds(*duplicated), strangers[0])

    def unsettled(self) -> int:
        """Return of how many messages the publisher has heard nothing, or did not ask to."""
        return self.published - self.acked - self.nacked
