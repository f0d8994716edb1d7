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

__all__ = ["Account", "Bounds", "Counts", "Sums", "counts_of", "latencies_of"]


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


class Counts(NamedTuple):
    """How often something is said of messages, in some facts."""

    published: int
    acked: int
    nacked: int
    returned: int
    deliveries: int
    redelivered: int


def counts_of(facts: Any) -> Counts:
    """Count facts, as `ackproof.conform.judging.following` finds them."""
    what, more = facts[:, 0], facts[:, 4]
    counts = np.bincount(what, minlength=DELIVERED + 1).tolist()
    return Counts(
        published=counts[PUBLISHED],
        acked=counts[ACKED],
        nacked=counts[NACKED],
        returned=counts[RETURNED],
        deliveries=counts[DELIVERED],
        redelivered=int(more[what == DELIVERED].sum()),
    )


def latencies_of(facts: Any) -> Any:
    """Return the seconds from publish to confirm, of each that some facts say."""
    what = facts[:, 0]
    times = facts[(what == ACKED) | (what == NACKED)][:, 3:]
    began, ended = (np.ascontiguousarray(column).view(np.float64) for column in times.T)
    return ended - began


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
        counts = counts_of(facts)
        self.published += counts.published
        self.acked += counts.acked
        self.nacked += counts.nacked
        self.returned += counts.returned
        self.deliveries += counts.deliveries
        self.redelivered += counts.redelivered
        self._latencies.append(latencies_of(facts))
        what, low, high, other, more = facts.T
        delivered = what == DELIVERED
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
