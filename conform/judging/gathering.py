"""Gathering: what is said of the same message, and of the same queue, is put together.

What is the same has the same three numbers: two for the message, and one for the queue.  Each of
these has its bits mixed already, so a table that is open finds whether they were there before, in
one pass over the rows.  Groups have numbers in the order in which their first rows come.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ackproof.conform.judging.compiled import compiled, kept
from ackproof.conform.judging.following import DELIVERED

__all__ = ["COUNTS", "gathered", "grouped", "in_groups", "summed"]

#: What is counted of a message: each kind of fact that `following` tells, in its order, of which
#: deliveries are the last; and behind those that are not marked, those that are.
COUNTS = DELIVERED + 2

_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
#: The number of a place in a table, with a sign: compiled code makes a float of one without.
_int: Any = np.int64


@compiled
def _place(low: int, queue: int, mask: int) -> int:
    """Return where a table is looked at first."""
    mixed = (np.uint64(low) ^ np.uint64(queue)) * _FACTOR
    found: int = _int((mixed ^ (mixed >> _HALF)) & np.uint64(mask))
    return found


@compiled
def _table(rows: int) -> Any:
    """Return a table for so many rows, at most half of which is taken in the end."""
    size = 16
    while size < 2 * rows:
        size *= 2
    return np.full(size, -1, np.int32)


@kept
def grouped(low: Any, high: Any, queue: Any) -> Any:
    """Return the group of each row, and the first row of each group.

    Args:
        low: half of what a message is known by.
        high: the other half.
        queue: the queue, or whatever else is to be the same.
    """
    groups, firsts, count = np.empty(len(low), np.int64), np.empty(len(low), np.int64), 0
    table = _table(len(low))
    mask = len(table) - 1
    for row in range(len(low)):
        place = _place(low[row], queue[row], mask)
        while table[place] >= 0:
            first = firsts[table[place]]
            if low[first] == low[row] and high[first] == high[row] and queue[first] == queue[row]:
                break
            place = (place + 1) & mask
        if table[place] < 0:
            table[place] = count
            firsts[count] = row
            count += 1
        groups[row] = table[place]
    return groups, firsts[:count].copy()


@kept
def gathered(told: Any) -> Any:
    """Return facts put together: two numbers of the message, the queue, and counts, as columns.

    Args:
        told: facts as `ackproof.conform.judging.following` finds them.
    """
    queue = np.where(told[:, 0] == DELIVERED, told[:, 3], 0)
    groups, firsts = grouped(told[:, 1], told[:, 2], queue)
    found = np.zeros((3 + COUNTS, len(firsts)), np.int64)
    for group in range(len(firsts)):
        first = firsts[group]
        found[0, group], found[1, group] = told[first, 1], told[first, 2]
        found[2, group] = queue[first]
    for row in range(len(told)):
        what = told[row, 0]
        found[3 + what + (what == DELIVERED and told[row, 4] != 0), groups[row]] += 1
    return found


@kept
def summed(counts: Any, groups: Any, count: int) -> Any:
    """Return the sums of columns over each of so many groups."""
    found = np.zeros((len(counts), count), np.int64)
    for column in range(len(counts)):
        for row in range(len(groups)):
            found[column, groups[row]] += counts[column, row]
    return found


@kept
def in_groups(groups: Any, count: int) -> Any:
    """Return rows in the order of their groups; and where each group starts, and the last ends."""
    starts = np.zeros(count + 1, np.int64)
    for group in groups:
        starts[group + 1] += 1
    for group in range(count):
        starts[group + 1] += starts[group]
    order, next_ = np.empty(len(groups), np.int64), starts[:count].copy()
    for row in range(len(groups)):
        order[next_[groups[row]]] = row
        next_[groups[row]] += 1
    return order, starts
