"""Returning: which message a return may be of, and when it comes too late.

A return carries the message, and no number; the message is known by its identity.  A channel
returns what it cannot route in the step that publishes it (A6.1), so returns come in publishing
order, and as soon as anything shows that a publish was processed, a return of it is late.

Messages in flight that look alike are not told apart.  A return is taken for the first of them that
it can be of, which leaves most to those that follow, and nothing more is concluded of it; of the
only one, all is.

Messages wait in one queue.  Each has a serial number, so that those that look alike can point to
one another there.
"""

from __future__ import annotations

from ackproof.conform.judging import refusals as no
from ackproof.conform.judging.books import (
    ALIKE,
    BATCH,
    FORGOT_RETURNS,
    LATE,
    NACKED,
    OPENED,
    SERIAL,
    WAITING,
    WHY,
)
from ackproof.conform.judging.compiled import compiled
from ackproof.conform.judging.shelves import (
    A,
    Array,
    B,
    add,
    add_recent,
    at,
    count,
    drop,
    find,
    pop,
    push,
)

__all__ = ["PLACE_OF", "TAG_OF", "match", "may_return", "processed_to_place", "processed_to_tag"]

#: The columns of `waiting`.
PLACE_OF, TAG_OF, _IDENTITY, _NEXT_ALIKE = range(4)
#: Mandatory messages that are followed at most, where nothing shows that they were processed.
_MOST = 1 << 20


@compiled
def may_return(s: Array, place: int, tag: int, identity: int) -> None:
    """A mandatory message was published."""
    serial = s[SERIAL] + count(s, WAITING)
    push(s, WAITING, place, tag, identity, 0)
    row = find(s, ALIKE, identity)
    if row:
        s[at(s, WAITING, s[row + B] - s[SERIAL]) + _NEXT_ALIKE] = serial + 1
    else:
        row = add(s, ALIKE, identity)
        s[row + A] = serial
    s[row + B] = serial
    if count(s, WAITING) > _MOST:
        s[FORGOT_RETURNS] = True
        _pass(s)


@compiled
def processed_to_place(s: Array, place: int) -> None:
    """What the client has said up to a place, the broker has processed."""
    while count(s, WAITING) and s[at(s, WAITING, 0) + PLACE_OF] <= place:
        _pass(s)


@compiled
def processed_to_tag(s: Array, tag: int) -> None:
    """The broker has processed all publishes up to a number."""
    while count(s, WAITING) and s[at(s, WAITING, 0) + TAG_OF] <= tag:
        _pass(s)


@compiled
def _pass(s: Array) -> None:
    first = at(s, WAITING, 0)
    row = find(s, ALIKE, s[first + _IDENTITY])
    if row and s[row + A] == s[SERIAL]:
        _take(s, row)
        add_recent(s, LATE, s[first + _IDENTITY], s[first + TAG_OF])
    pop(s, WAITING)
    s[SERIAL] += 1


@compiled
def _take(s: Array, row: int) -> int:
    """Take the first of those that look alike; return its row in `waiting`."""
    message = at(s, WAITING, s[row + A] - s[SERIAL])
    following = s[message + _NEXT_ALIKE]
    if following:
        s[row + A] = following - 1
    else:
        drop(s, ALIKE, row)
    return message


@compiled
def match(s: Array, identity: int) -> tuple[int, int, bool]:
    """Return why a return is refused, which message came back, and whether it can be no other.

    The message is its row in `waiting`, 0 if it may be any.
    """
    row = find(s, ALIKE, identity)
    if row:
        sure = s[row + A] == s[row + B]
        return 0, _take(s, row), sure
    if s[FORGOT_RETURNS]:
        return 0, 0, False
    for place in range(count(s, BATCH)):
        if s[at(s, BATCH, place)] == identity:
            return no.BEFORE_COMMIT, 0, False
    return _unexpected(s, identity), 0, False


@compiled
def _unexpected(s: Array, identity: int) -> int:
    row = find(s, LATE, identity)
    if not row:
        return no.UNEXPECTED
    tag = s[row + A]
    s[WHY] = tag
    if tag == 0:
        return no.PASSED_UNNUMBERED
    if find(s, OPENED, tag):
        return no.PASSED
    return no.RETURNED_AFTER_NACK if find(s, NACKED, tag) else no.RETURNED_AFTER_ACK
