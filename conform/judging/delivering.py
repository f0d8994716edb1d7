"""Delivering: delivery tags, consumers and their limits, and what a client may settle.

The broker gives each delivery the next tag (F1.1), and a consumer no more than its limit (F2.2).
What a client settles reaches the broker later than it is seen here, so it counts as settled early
here; what the broker counts as unsettled is never less, and a limit that is exceeded here is
exceeded there.

Whether a tag that a client settles is unknown to the broker is certain as long as no deliveries
may be under way that nobody has seen, and no recover.  Where it is not, `SURE` is false.

A consumer that ends leaves its deliveries behind, and another one may have its name.  So each has a
*handle*, a number of its own; that of a consumer without acks is below zero, and deliveries that
were fetched have 0.
"""

from __future__ import annotations

import numpy as np
from ackproof.conform.judging import refusals as no
from ackproof.conform.judging.books import (
    CONSUMERS,
    HANDED,
    HANDLES,
    HELD,
    KNOWN,
    LAST_TAG,
    NAMELESS,
    NEXT_LIMIT,
    PUSHED,
    RECOVERING,
    SHARED,
    STARTING,
    STOPPING,
    SURE,
    WHY,
    WHY_TOO,
)
from ackproof.conform.judging.compiled import compiled
from ackproof.conform.judging.facts import MOST
from ackproof.conform.judging.shelves import (
    KEY,
    A,
    Array,
    B,
    C,
    add,
    after,
    at,
    clear_map,
    count,
    drop,
    find,
    first,
    pop,
    push,
    size,
)

__all__ = [
    "commit",
    "deliver",
    "fetch",
    "limit",
    "limited",
    "recovered",
    "roll_back",
    "settle",
    "start",
    "started",
    "stop",
    "stopped",
]

# -- consumers ----------------------------------------------------------------------------------


@compiled
def limit(s: Array, prefetch: int, shared: bool) -> None:
    """A client asks for limits: of its next consumers, or of the channel (F2.2).

    The former lifts the latter.
    """
    push(s, SHARED, prefetch if shared else 0, 0, 0, 0)
    if not shared:
        s[NEXT_LIMIT] = prefetch


@compiled
def limited(s: Array) -> None:
    """The broker has taken note of limits."""
    if count(s, SHARED) > 1:
        pop(s, SHARED)


@compiled
def start(s: Array, name: int, no_ack: bool, nowait: bool) -> None:
    """A client starts a consumer, which it may leave to the broker to name."""
    if name:
        _enter(s, name, s[NEXT_LIMIT], no_ack)
        if not nowait:
            row = find(s, STARTING, name)
            if not row:
                row = add(s, STARTING, name)
                s[row + A] = 0
            s[row + A] += 1
    else:
        push(s, NAMELESS, s[NEXT_LIMIT], no_ack, 0, 0)


@compiled
def _enter(s: Array, name: int, most: int, no_ack: bool) -> None:
    row = find(s, CONSUMERS, name)
    if not row:
        row = add(s, CONSUMERS, name)
    s[HANDLES] += 1
    s[row + A] = most
    s[row + B] = -s[HANDLES] if no_ack else s[HANDLES]
    s[row + C] = 0


@compiled
def started(s: Array, name: int) -> int:
    """The broker has started a consumer, and says how it is called."""
    asked = find(s, STARTING, name)
    if asked:
        s[asked + A] -= 1
        if not s[asked + A]:
            drop(s, STARTING, asked)
    elif count(s, NAMELESS):
        row = at(s, NAMELESS, 0)
        most, no_ack = s[row + 0], s[row + 1] != 0
        pop(s, NAMELESS)
        _enter(s, name, most, no_ack)
    elif s[KNOWN]:
        return no.NOT_STARTED
    return 0


@compiled
def stop(s: Array, name: int, nowait: bool) -> None:
    """A client stops a consumer; without an answer nobody knows since when."""
    if not nowait and not find(s, STOPPING, name):
        add(s, STOPPING, name)


@compiled
def stopped(s: Array, name: int, on_demand: bool) -> int:
    """The broker has stopped a consumer: on demand, or because its queue is gone (B7.6)."""
    if on_demand:
        asked = find(s, STOPPING, name)
        if asked:
            drop(s, STOPPING, asked)
        elif s[KNOWN]:
            return no.NOT_STOPPED
    row = find(s, CONSUMERS, name)
    if row:
        drop(s, CONSUMERS, row)
    return 0


# -- deliveries ---------------------------------------------------------------------------------


@compiled
def deliver(s: Array, tag: int, name: int) -> int:
    """Judge a delivery to a consumer."""
    wrong = _take_tag(s, tag, no.TAG_FALLS)
    if wrong:
        return wrong
    row = find(s, CONSUMERS, name)
    if not row:
        if s[KNOWN] and not count(s, NAMELESS):
            return no.NO_CONSUMER
        s[SURE] = False
    elif s[row + B] > 0:
        _hand(s, tag, name, s[row + B])
        return _burden(s, row)
    return 0


@compiled
def fetch(s: Array, tag: int, no_ack: bool) -> int:
    """Judge the answer to a get, as a delivery; limits do not count (F2.3)."""
    wrong = _take_tag(s, tag, no.GOT_TAG_FALLS)
    if not wrong and not no_ack:
        _hand(s, tag, 0, 0)
    return wrong


@compiled
def _hand(s: Array, tag: int, name: int, handle: int) -> None:
    row = add(s, HANDED, tag)
    s[row + A], s[row + B] = name, handle


@compiled
def _take_tag(s: Array, tag: int, falls: int) -> int:
    last = s[LAST_TAG]
    s[WHY] = last
    if tag == last == MOST and not s[KNOWN]:
        return 0  # those that are so large are not told apart
    if tag <= last:
        return falls
    if tag != last + 1 and (last or s[KNOWN]):
        return no.TAG_JUMPS
    s[LAST_TAG] = tag
    return 0


@compiled
def _burden(s: Array, row: int) -> int:
    s[row + C] += 1
    s[PUSHED] += 1
    most, load = s[row + A], s[row + C]
    if most and load > most:
        s[WHY], s[WHY_TOO] = load, most
        return no.OVER_LIMIT
    most = _shared_limit(s)
    if most and s[PUSHED] > most:
        s[WHY], s[WHY_TOO] = s[PUSHED], most
        return no.OVER_SHARED_LIMIT
    return 0


@compiled
def _shared_limit(s: Array) -> int:
    """Return the limit of the channel, 0 if there may be none."""
    most = 0
    for place in range(count(s, SHARED)):
        found = s[at(s, SHARED, place)]
        if found == 0:
            return 0
        most = max(most, found)
    return most


# -- settling -----------------------------------------------------------------------------------


@compiled
def settle(s: Array, tag: int, multiple: bool, in_transaction: bool) -> bool:
    """A client settles deliveries; return whether the broker cannot but refuse (F1.3)."""
    if s[RECOVERING]:
        s[SURE] = False  # it may be back in its queue by now
    row = find(s, HANDED, tag)
    if not row:
        if tag == 0 and multiple:
            tag = s[LAST_TAG]
        elif tag > s[LAST_TAG]:
            s[SURE] = False
            return False
        else:
            return s[SURE] != 0
    if multiple:
        row = first(s, HANDED)
        while row and s[row + KEY] <= tag:
            _finish(s, row, in_transaction)
            row = first(s, HANDED)
    else:
        _finish(s, row, in_transaction)
    return False


@compiled
def _finish(s: Array, row: int, in_transaction: bool) -> None:
    if in_transaction:
        held = add(s, HELD, s[row + KEY])
        s[held + A], s[held + B] = s[row + A], s[row + B]
    else:
        _relieve(s, s[row + A], s[row + B])
    drop(s, HANDED, row)


@compiled
def _relieve(s: Array, name: int, handle: int) -> None:
    if handle:
        s[PUSHED] -= 1
        row = find(s, CONSUMERS, name)
        if row and s[row + B] == handle:
            s[row + C] -= 1


@compiled
def commit(s: Array) -> None:
    """A client commits: what it has settled is settled (A13.3)."""
    _relieve_all(s, HELD)


@compiled
def roll_back(s: Array) -> None:
    """A client rolls back: what it has settled is unacked again (A13.6)."""
    if not first(s, HELD):
        return
    row = first(s, HANDED)
    while row:
        held = add(s, HELD, s[row + KEY])
        s[held + A], s[held + B] = s[row + A], s[row + B]
        row = after(s, HANDED, row)
    clear_map(s, HANDED)
    tags = np.empty(size(s, HELD), np.int64)
    row = first(s, HELD)
    for place in range(len(tags)):
        tags[place] = s[row + KEY]
        row = after(s, HELD, row)
    for tag in np.sort(tags):
        row = find(s, HELD, tag)
        _hand(s, tag, s[row + A], s[row + B])
    clear_map(s, HELD)


@compiled
def recovered(s: Array) -> None:
    """All that was delivered before is requeued, but what is kept by a transaction (F1.5)."""
    s[RECOVERING] = max(s[RECOVERING] - 1, 0)
    _relieve_all(s, HANDED)


@compiled
def _relieve_all(s: Array, deliveries: int) -> None:
    row = first(s, deliveries)
    while row:
        _relieve(s, s[row + A], s[row + B])
        drop(s, deliveries, row)
        row = first(s, deliveries)
