"""Fates: what follows from all that is known of messages that have the same identity.

Where several have the same, nobody can tell which of them was delivered, so what is said of them is
bounds: at least, and at most.  Where each has its own, the bounds are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ackproof.conform.judging.compiled import compiled, kept
from ackproof.conform.judging.following import ACKED, DELIVERED, PUBLISHED, RETURNED

__all__ = ["SUMS", "fates_of", "sums_of"]

#: What is summed over all messages, in the order of its rows; the first number of each is a bound.
SUMS = ("seen", "unseen", "duplicated")


@compiled
def strangers(published: int, deliveries: int) -> int:
    """Return how many deliveries there were, if nobody was seen to publish any."""
    return 0 if published else deliveries


@compiled
def seen(published: int, deliveries: int) -> tuple[int, int]:
    """Return how many were delivered at least once."""
    return min(deliveries, 1, published), min(deliveries, published)


@compiled
def unseen(published: int, acked: int, returned: int, deliveries: int) -> tuple[int, int]:
    """Return how many were confirmed, not returned, and never delivered."""
    remaining = max(acked - returned, 0)
    certainly = 1 if deliveries and published <= remaining else 0
    return max(remaining - deliveries, 0), max(remaining - certainly, 0)


@compiled
def duplicated(published: int, fresh: int) -> tuple[int, int]:
    """Return how many unmarked deliveries of one queue were not the first."""
    return max(fresh - published, 0) if published else 0, max(fresh - 1, 0)


@kept
def fates_of(counts: Any, starts: Any) -> Any:
    """Return what became of messages, a row for each column.

    These are published, acked, nacked, returned, deliveries, deliveries of strangers, and the
    bounds of those seen, unseen and duplicated.

    Args:
        counts: by column and row: published, acked, nacked, returned, deliveries that are not
            marked, and those that are; a row is for one message and one queue.
        starts: the first row of each message, and where the last one ends.
    """
    found = np.zeros((12, len(starts) - 1), np.int64)
    for message in range(len(starts) - 1):
        for row in range(starts[message], starts[message + 1]):
            for column in range(4):
                found[column, message] += counts[column, row]
            found[4, message] += counts[4, row] + counts[5, row]
        published, deliveries = found[0, message], found[4, message]
        found[5, message] = strangers(published, deliveries)
        found[6, message], found[7, message] = seen(published, deliveries)
        acked, returned = found[1, message], found[3, message]
        found[8, message], found[9, message] = unseen(published, acked, returned, deliveries)
        for row in range(starts[message], starts[message + 1]):
            if counts[4, row]:
                least, most = duplicated(published, counts[4, row])
                found[10, message] += least
                found[11, message] += most
    return found


@kept
def sums_of(what: Any, high: Any, queue: Any, marked: Any, order: Any, low: Any) -> Any:
    """Return the sums of all messages, and how many deliveries were of strangers.

    Args:
        what: what each fact is.
        high: half of the identity of its message.
        queue: of a delivery.
        marked: of a delivery.
        order: facts by the other half.
        low: the other half.
    """
    found, start = np.zeros((4, 2), np.int64), 0
    while start < len(order):
        end, alike = start + 1, True
        while end < len(order) and low[order[end]] == low[order[start]]:
            alike = alike and high[order[end]] == high[order[start]]
            end += 1
        group = order[start:end]
        if not alike:
            # Two texts share a half: as good as never.
            group = group[np.argsort(high[group])]
        first = 0
        for place in range(1, len(group) + 1):
            if place == len(group) or high[group[place]] != high[group[first]]:
                _add(found, what, queue, marked, group[first:place])
                first = place
        start = end
    return found


@compiled
def _add(found: Any, what: Any, queue: Any, marked: Any, group: Any) -> None:
    published = acked = returned = deliveries = fresh = 0
    for fact in group:
        published += what[fact] == PUBLISHED
        acked += what[fact] == ACKED
        returned += what[fact] == RETURNED
        if what[fact] == DELIVERED:
            deliveries += 1
            fresh += marked[fact] == 0
    least, most = seen(published, deliveries)
    found[0, 0] += least
    found[0, 1] += most
    least, most = unseen(published, acked, returned, deliveries)
    found[1, 0] += least
    found[1, 1] += most
    found[3, 0] += strangers(published, deliveries)
    if fresh > 1:
        _add_queues(found, published, fresh, what, queue, marked, group)


@compiled
def _add_queues(
    found: Any, published: int, fresh: int, what: Any, queue: Any, marked: Any, group: Any
) -> None:
    queues, place = np.empty(fresh, np.int64), 0
    for fact in group:
        if what[fact] == DELIVERED and marked[fact] == 0:
            queues[place] = queue[fact]
            place += 1
    queues.sort()
    first = 0
    for place in range(1, fresh + 1):
        if place == fresh or queues[place] != queues[first]:
            least, most = duplicated(published, place - first)
            found[2, 0] += least
            found[2, 1] += most
            first = place
