"""Following: which message each confirm, return and delivery of a channel is about.

A client takes what it is told literally, and so does this: whether the broker may say it is for the
judge.  What a message is known by is two numbers here.  Of a channel whose beginning is missing, no
confirm can be told whose it is.

What is found out are *facts*, a row of numbers for each, in the order in which they are found out.
Whoever calls has left room for as many as an event can bring about.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from ackproof.conform.judging import facts as e
from ackproof.conform.judging.compiled import compiled, kept
from ackproof.conform.judging.shelves import (
    HEAD,
    KEY,
    A,
    Array,
    B,
    C,
    add,
    after,
    at,
    clear_shelves,
    count,
    drop,
    find,
    first,
    free,
    larger,
    pop,
    pop_last,
    push,
    size,
    with_shelves,
)

__all__ = [
    "ACKED",
    "DELIVERED",
    "FRAMES",
    "LARGEST",
    "NACKED",
    "PUBLISHED",
    "RETURNED",
    "WIDTH",
    "WINDOW",
    "awaited",
    "count_awaited",
    "enlarged_notes",
    "follow",
    "lacking_notes",
    "most_facts",
    "new_notes",
]

#: What a fact is: its columns are one of these, the message, the queue or the time from when it was
#: published, and whether a delivery is marked or the time when it was settled.
PUBLISHED, ACKED, NACKED, RETURNED, DELIVERED = range(5)
WIDTH = 5

_NONE, _CONFIRM, _TX, _UNKNOWN = range(4)

(
    _MODE,
    _NUMBER,  # of the last publish in confirm mode
    _TRANSACTION,
    FRAMES,  # how many acks and nacks there were
    LARGEST,  # how many messages one of them has settled at most
    WINDOW,  # how many messages waited for their confirm at the same time, at most
    _NUMBERS,
) = range(7)

(
    _OPEN,  # by number: message, and when it was published
    _BATCH,  # message, when, and of which transaction
    _COMMITTING,  # transactions that wait for their answer
    _QUEUES,  # by consumer: its queue
    _NAMELESS,  # queues of consumers whose names nobody knows yet
    _GETS,  # queues that were asked for a message
    _FIXED,
) = range(_NUMBERS, _NUMBERS + 7 * HEAD, HEAD)


@cache
def _empty_notes() -> Any:
    """Return shelves without rows, to be copied: to make them takes many times as long."""
    return with_shelves(_FIXED, (_OPEN, _QUEUES), (_BATCH, _COMMITTING, _NAMELESS, _GETS))


def new_notes() -> Array:
    """Return what is known of a channel of which nothing was seen yet."""
    notes: Array = _empty_notes().copy()
    notes[_MODE] = _UNKNOWN
    return notes


def enlarged_notes(notes: Array) -> Array:
    """Return notes with room for whatever the next event adds."""
    while shelf := lacking_notes(notes):
        notes = larger(notes, shelf)
    return notes


@kept
def lacking_notes(s: Array) -> int:
    """Return a shelf that has no room for what any event may add, 0 if there is none."""
    for shelf in range(_NUMBERS, _FIXED, HEAD):
        if free(s, shelf) < 1:
            return shelf
    return 0


@kept
def most_facts(s: Array, events: int) -> int:
    """Return how many facts so many events can bring about."""
    return 2 * events + count_awaited(s)


@compiled
def _begin(s: Array, mode: int) -> None:
    s[_MODE] = mode
    s[_NUMBER] = s[_TRANSACTION] = 0
    clear_shelves(s, _NUMBERS, _FIXED)


@compiled
def follow(
    s: Array,
    kind: int,
    bits: int,
    tag: int,
    consumer: int,
    queue: int,
    low: int,
    high: int,
    time: int,
    facts: Any,
    found: int,
) -> int:
    """Take the next event; add facts behind those that were found, and return how many there are.

    The message is `low` and `high`; the time is the bits of a float.
    """
    if kind == e.PUBLISH:
        _publish(s, low, high, time)
        return _tell(facts, found, PUBLISHED, low, high, 0, 0)
    if kind == e.DELIVER:
        row = find(s, _QUEUES, consumer)
        marked = bits & e.REDELIVERED != 0
        return _tell(facts, found, DELIVERED, low, high, s[row + A] if row else 0, marked)
    if kind == e.ACK or kind == e.NACK:
        return _settle(s, kind, tag, bits & e.MULTIPLE != 0, time, facts, found)
    if kind == e.RETURN:
        return _tell(facts, found, RETURNED, low, high, 0, 0)
    if kind == e.GET_OK:
        return _tell(facts, found, DELIVERED, low, high, _got(s), bits & e.REDELIVERED != 0)
    if kind == e.COMMIT_OK:
        return _committed(s, time, facts, found)
    _learn(s, kind, consumer, queue)
    return found


@compiled
def _tell(facts: Any, found: int, what: int, low: int, high: int, other: int, more: int) -> int:
    facts[found, 0], facts[found, 1], facts[found, 2] = what, low, high
    facts[found, 3], facts[found, 4] = other, more
    return found + 1


@compiled
def _learn(s: Array, kind: int, consumer: int, queue: int) -> None:
    if kind == e.OPEN:
        _begin(s, _NONE)
    elif kind == e.GAP:
        _begin(s, _UNKNOWN)
    elif kind == e.SELECT or kind == e.TX_SELECT:
        if s[_MODE] == _NONE:
            s[_MODE] = _CONFIRM if kind == e.SELECT else _TX
    elif kind == e.GET:
        push(s, _GETS, queue, 0, 0, 0)
    elif kind == e.GET_EMPTY:
        _got(s)
    elif kind == e.COMMIT:
        push(s, _COMMITTING, s[_TRANSACTION], 0, 0, 0)
        s[_TRANSACTION] += 1
    elif kind == e.ROLLBACK:
        while count(s, _BATCH) and s[at(s, _BATCH, count(s, _BATCH) - 1) + 3] == s[_TRANSACTION]:
            pop_last(s, _BATCH)
    elif kind == e.CONSUME and consumer:
        _start(s, consumer, queue)
    elif kind == e.CONSUME:
        push(s, _NAMELESS, queue, 0, 0, 0)
    elif kind == e.CONSUME_OK and not find(s, _QUEUES, consumer) and count(s, _NAMELESS):
        _start(s, consumer, s[at(s, _NAMELESS, 0)])
        pop(s, _NAMELESS)


@compiled
def _start(s: Array, consumer: int, queue: int) -> None:
    row = find(s, _QUEUES, consumer)
    if not row:
        row = add(s, _QUEUES, consumer)
    s[row + A] = queue


@compiled
def _got(s: Array) -> int:
    if not count(s, _GETS):
        return 0
    queue = s[at(s, _GETS, 0)]
    pop(s, _GETS)
    return queue


@compiled
def _publish(s: Array, low: int, high: int, time: int) -> None:
    if s[_MODE] == _CONFIRM:
        s[_NUMBER] += 1
        row = add(s, _OPEN, s[_NUMBER])
        s[row + A], s[row + B], s[row + C] = low, high, time
        s[WINDOW] = max(s[WINDOW], size(s, _OPEN))
    elif s[_MODE] == _TX:
        push(s, _BATCH, low, high, time, s[_TRANSACTION])


@compiled
def _settle(
    s: Array, kind: int, tag: int, multiple: bool, time: int, facts: Any, found: int
) -> int:
    what = ACKED if kind == e.ACK else NACKED
    before = found
    row = first(s, _OPEN)
    while multiple and row and s[row + KEY] < tag:
        found = _end(s, row, what, time, facts, found)
        row = first(s, _OPEN)
    row = find(s, _OPEN, tag)
    if row:
        found = _end(s, row, what, time, facts, found)
    s[FRAMES] += 1
    s[LARGEST] = max(s[LARGEST], found - before)
    return found


@compiled
def _end(s: Array, row: int, what: int, time: int, facts: Any, found: int) -> int:
    found = _tell(facts, found, what, s[row + A], s[row + B], s[row + C], time)
    drop(s, _OPEN, row)
    return found


@compiled
def _committed(s: Array, time: int, facts: Any, found: int) -> int:
    if count(s, _COMMITTING):
        transaction = s[at(s, _COMMITTING, 0)]
        pop(s, _COMMITTING)
        while count(s, _BATCH) and s[at(s, _BATCH, 0) + 3] == transaction:
            row = at(s, _BATCH, 0)
            found = _tell(facts, found, ACKED, s[row], s[row + 1], s[row + 2], time)
            pop(s, _BATCH)
    return found


@kept
def count_awaited(s: Array) -> int:
    """Return how many messages are known of which something may still be found out."""
    return size(s, _OPEN) + count(s, _BATCH)


@kept
def awaited(s: Array) -> Any:
    """Return the first number of each of them."""
    found, row = np.empty(count_awaited(s), np.int64), first(s, _OPEN)
    for place in range(size(s, _OPEN)):
        found[place] = s[row + A]
        row = after(s, _OPEN, row)
    for place in range(count(s, _BATCH)):
        found[size(s, _OPEN) + place] = s[at(s, _BATCH, place)]
    return found
