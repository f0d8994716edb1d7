"""The books of a channel: all that its judge keeps, in one array.

What is one number is at a place that has a name here.  What there may be many of is on a shelf
(`ackproof.conform.judging.shelves`), which has a name, too.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ackproof.conform.judging.compiled import kept
from ackproof.conform.judging.shelves import (
    HEAD,
    Array,
    clear_shelves,
    count,
    free,
    larger,
    push,
    size,
    with_shelves,
)

__all__ = [
    "ALIKE",
    "BATCH",
    "BELOW",
    "CLOSING",
    "CONFIRM",
    "CONSUMERS",
    "ENDED",
    "EXTENDS",
    "FATAL",
    "FATAL_PLACE",
    "FATAL_PUBLISHED",
    "FLOOR",
    "FORGOT_NACKED",
    "FORGOT_RETURNS",
    "HANDED",
    "HANDLES",
    "HELD",
    "KEPT",
    "KNOWN",
    "LAST_OF_HALF",
    "LAST_TAG",
    "LATE",
    "LIMIT",
    "MODE",
    "NACKED",
    "NAMELESS",
    "NEXT_LIMIT",
    "NONE",
    "OPENED",
    "OWES",
    "PHASE",
    "PLACE",
    "PUBLISHED",
    "PUSHED",
    "RECOVERING",
    "REFUSED",
    "REQUESTS",
    "RETURNED",
    "SERIAL",
    "SHARED",
    "SINGLY",
    "STARTING",
    "STOPPING",
    "SURE",
    "TX",
    "UNKNOWN",
    "WAITING",
    "WHY",
    "WHY_TOO",
    "begin",
    "enlarged",
    "lacking",
    "new_books",
]

#: What `MODE` may be.
NONE, CONFIRM, TX, UNKNOWN = range(4)

(
    # the channel
    MODE,
    KNOWN,
    PLACE,  # how much the client has said
    ENDED,
    CLOSING,
    FATAL,  # why it is refused to go on: a cause, where it was, after how many publishes
    FATAL_PLACE,
    FATAL_PUBLISHED,
    REFUSED,  # something was, and what follows is not judged
    # what is mentioned when something is refused
    WHY,
    WHY_TOO,
    # settling
    PUBLISHED,
    PHASE,
    LIMIT,  # the last publish before the first frame of the current flush
    LAST_OF_HALF,  # the last single frame of the current half
    OWES,
    EXTENDS,
    BELOW,
    FORGOT_NACKED,
    FLOOR,
    # returning
    SERIAL,  # how many mandatory messages are not followed any more
    FORGOT_RETURNS,
    # delivering
    SURE,
    LAST_TAG,
    NEXT_LIMIT,
    PUSHED,
    RECOVERING,
    HANDLES,
    _NUMBERS,
) = range(29)

(
    OPENED,  # numbers that are not settled yet
    NACKED,  # those that were nacked, not long ago
    SINGLY,  # those that were settled singly, where the beginning is missing
    ALIKE,  # by identity: the first and the last message that may come back
    LATE,  # by identity: the number of one that cannot come back any more
    HANDED,  # deliveries that are unacked: the consumer's name, and its handle
    HELD,  # those that are settled in a transaction
    CONSUMERS,  # by name: limit, handle, load
    STARTING,  # names of consumers that a client starts: how often
    STOPPING,  # names of consumers that a client stops
    RETURNED,  # numbers that the next flush must ack
    KEPT,  # single acks with which the flush may have begun, and the last publish by then
    WAITING,  # mandatory messages: place, number, identity, the next one alike
    BATCH,  # identities of mandatory messages of the transaction
    REQUESTS,  # kind, place, publishes before, and whether it is without acks
    NAMELESS,  # consumers whose names nobody knows yet: limit, whether without acks
    SHARED,  # the limits of the channel that may be in force
    _FIXED,
) = range(_NUMBERS, _NUMBERS + 18 * HEAD, HEAD)

_MAPS = (OPENED, NACKED, SINGLY, ALIKE, LATE, HANDED, HELD, CONSUMERS, STARTING, STOPPING)
_QUEUES = (RETURNED, KEPT, WAITING, BATCH, REQUESTS, NAMELESS, SHARED)
#: Rows of those that remember the latest only, at most.
_RECENT_ROWS = 8192


@cache
def _empty_books() -> Any:
    """Return shelves without rows, to be copied: to make them takes many times as long."""
    return with_shelves(_FIXED, _MAPS, _QUEUES)


def new_books(known: bool) -> Array:
    """Return the books of a channel that begins, or of which nothing is known."""
    books: Array = _empty_books().copy()
    begin(books, known)
    return books


def enlarged(books: Array) -> Array:
    """Return books with room for whatever the next event adds."""
    while shelf := lacking(books):
        books = larger(books, shelf)
    return books


@kept
def lacking(s: Array) -> int:
    """Return a shelf that has no room for what any event may add, 0 if there is none."""
    for shelf in (OPENED, SINGLY, HANDED, CONSUMERS, STARTING, STOPPING):
        if free(s, shelf) < 1:
            return shelf
    for shelf in (RETURNED, KEPT, BATCH, REQUESTS, NAMELESS, SHARED):
        if free(s, shelf) < 1:
            return shelf
    for shelf in (WAITING, ALIKE):
        if free(s, shelf) < count(s, BATCH) + 1:
            return shelf
    if s[MODE] == TX and free(s, HELD) <= size(s, HANDED):
        return HELD
    if s[MODE] == TX and free(s, HANDED) <= size(s, HELD):
        return HANDED
    if free(s, NACKED) <= size(s, OPENED) and s[NACKED + 1] < _RECENT_ROWS:
        return NACKED
    if free(s, LATE) <= count(s, WAITING) + count(s, BATCH) and s[LATE + 1] < _RECENT_ROWS:
        return LATE
    return 0


@kept
def begin(s: Array, known: bool) -> None:
    """Begin anew, with a channel that is opened, or of which nothing is known any more."""
    s[:_NUMBERS] = 0
    s[KNOWN] = s[SURE] = known
    s[MODE] = NONE if known else UNKNOWN
    clear_shelves(s, _NUMBERS, _FIXED)
    push(s, SHARED, 0, 0, 0, 0)
