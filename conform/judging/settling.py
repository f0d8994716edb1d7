"""Settling: which acks and nacks a channel in confirm mode may send, in which order.

A channel tells its publisher in flushes (A10, A11).  One flush is one step: acks, then nacks; of
each, first one frame with `multiple` that covers what it may, then single ones, ascending.  What
may be covered is below every number that the other half settles, or that stays open.  So a frame is
judged by what is open, and by what the frames just before have begun:

* a lone ack is single (A11.2).  One with `multiple` that covers a single message *owes* another
  ack, at once;
* a single ack in a flush of several is above something open, or it would have been covered;
* a single nack is above something open, or above something that this very flush has acked (A11.3);
* what was returned is acked at the next flush, whatever else that tells (A6.2, A7.2).

Where one flush ends and the next begins, frames do not show.  Of the possible beginnings of the
current flush only those are kept that later frames can ask for: whether it may have acked something
below all that is open (`BELOW`), and the single acks that it may have begun with (`kept`), if there
is an open number that one allows for and the one before does not.  That is no more than twice as
many as there are open numbers.

Frames follow each other at once in a flush.  So a publish that was seen after its first frame is
not settled in it, and any other frame of the broker ends it.

Each function returns why a frame is refused (`ackproof.conform.judging.refusals`), 0 if it is not.
"""

from __future__ import annotations

from ackproof.conform.judging import refusals as no
from ackproof.conform.judging.books import (
    BELOW,
    EXTENDS,
    FLOOR,
    FORGOT_NACKED,
    KEPT,
    LAST_OF_HALF,
    LIMIT,
    NACKED,
    OPENED,
    OWES,
    PHASE,
    PUBLISHED,
    RETURNED,
    SINGLY,
    WHY,
    WHY_TOO,
)
from ackproof.conform.judging.compiled import compiled
from ackproof.conform.judging.shelves import (
    KEY,
    Array,
    add,
    add_recent,
    at,
    before,
    clear_queue,
    count,
    drop,
    find,
    first,
    pop,
    pop_last,
    push,
    size,
)

__all__ = ["ack", "give_back", "interrupt", "nack", "publish", "settle_unknown"]

_NO_FLUSH, _ACKS, _NACKS = 0, 1, 2


@compiled
def publish(s: Array) -> int:
    """Give the next number to a publish, and return it (A4.1)."""
    s[PUBLISHED] += 1
    add(s, OPENED, s[PUBLISHED])
    return s[PUBLISHED]


@compiled
def give_back(s: Array, tag: int) -> None:
    """A message was returned: the next flush acks it."""
    push(s, RETURNED, tag, 0, 0, 0)


@compiled
def interrupt(s: Array) -> int:
    """Another frame of the broker ends the flush, which must be complete."""
    if s[PHASE] == _NO_FLUSH:
        return 0
    if s[OWES]:
        return no.LONE
    if s[PHASE] == _ACKS and count(s, RETURNED):
        return _not_acked(s)
    _begin(s, _NO_FLUSH)
    return 0


@compiled
def _begin(s: Array, phase: int) -> None:
    s[PHASE] = phase
    s[LIMIT] = s[PUBLISHED]
    s[LAST_OF_HALF] = s[OWES] = s[EXTENDS] = s[BELOW] = 0
    clear_queue(s, KEPT)


@compiled
def _first_returned(s: Array) -> int:
    """Return the first number that must be acked now, 0 if there is none."""
    return s[at(s, RETURNED, 0)] if count(s, RETURNED) else 0


@compiled
def _not_acked(s: Array) -> int:
    s[WHY] = _first_returned(s)
    return no.RETURNED_NOT_ACKED


@compiled
def _bound(s: Array) -> bool:
    """Tell whether the flush that has begun must go on with an ack."""
    return s[OWES] != 0 or (s[PHASE] == _ACKS and count(s, RETURNED) != 0)


@compiled
def _first_open(s: Array) -> int:
    """Return the smallest number that is open, 0 if there is none."""
    row = first(s, OPENED)
    return s[row + KEY] if row else 0


@compiled
def _not_open(s: Array, tag: int, nacks: bool) -> int:
    if not 0 < tag <= s[PUBLISHED]:
        s[WHY] = s[PUBLISHED]
        return no.PHANTOM
    was_nacked = find(s, NACKED, tag) != 0
    if not nacks and was_nacked:
        return no.ACKED_AFTER_NACK
    if nacks and not was_nacked and not s[FORGOT_NACKED]:
        return no.NACKED_AFTER_ACK
    return no.NACKED_AGAIN if nacks else no.ACKED_AGAIN


# -- acks ---------------------------------------------------------------------------------------


@compiled
def ack(s: Array, tag: int, multiple: bool) -> int:
    """Judge an ack."""
    row = find(s, OPENED, tag)
    if not row:
        return _not_open(s, tag, False)
    return _ack_up_to(s, tag) if multiple else _ack_one(s, tag, row)


@compiled
def _ack_one(s: Array, tag: int, row: int) -> int:
    returned = _first_returned(s)
    if returned and returned < tag:
        return _not_acked(s)
    bound = _bound(s)
    earlier = s[before(s, OPENED, row) + KEY] if before(s, OPENED, row) else 0
    drop(s, OPENED, row)
    above = earlier != 0
    goes_on = above and _goes_on(s, tag, bound)
    if bound and not goes_on:
        return no.LONE if s[OWES] else _not_acked(s)
    if returned == tag:
        pop(s, RETURNED)
        returned = _first_returned(s)
    if returned and not above:
        s[WHY] = returned
        return no.ACKED_ALONE
    if not goes_on:
        _begin(s, _ACKS)
        s[EXTENDS] = above
        s[BELOW] = not above
    elif tag > s[LIMIT]:
        s[BELOW] = False
    if above and not bound:
        _keep(s, tag, earlier)
    s[LAST_OF_HALF] = tag
    s[OWES] = False
    return 0


@compiled
def _goes_on(s: Array, tag: int, bound: bool) -> bool:
    """Tell whether a single ack may be of a flush that has begun, which knew its message."""
    if s[PHASE] != _ACKS or not s[EXTENDS] or tag < s[LAST_OF_HALF]:
        return False
    if tag <= s[LIMIT] and (bound or s[BELOW]):
        return True
    kept = count(s, KEPT)
    return not bound and kept != 0 and tag <= s[at(s, KEPT, kept - 1) + 1]


@compiled
def _keep(s: Array, tag: int, earlier: int) -> None:
    """Note that the flush may have begun with this ack, if that allows for anything more."""
    while count(s, KEPT) and s[at(s, KEPT, 0) + 1] < tag:
        pop(s, KEPT)
    if count(s, KEPT):
        last = at(s, KEPT, count(s, KEPT) - 1)
        if earlier <= s[last + 0] and s[PUBLISHED] <= s[last + 1]:
            return
    push(s, KEPT, tag, s[PUBLISHED], 0, 0)


@compiled
def _ack_up_to(s: Array, tag: int) -> int:
    if _bound(s):
        return no.LONE if s[OWES] else _not_acked(s)
    covered = _take_up_to(s, tag, False)
    while count(s, RETURNED) and _first_returned(s) <= tag:
        pop(s, RETURNED)
    returned = _first_returned(s)
    if returned and returned == _first_open(s):
        s[WHY], s[WHY_TOO] = tag, returned
        return no.STOPS_SHORT
    _begin(s, _ACKS)
    s[EXTENDS] = s[BELOW] = True
    s[LAST_OF_HALF] = tag
    s[OWES] = covered == 1 and not returned
    return no.LONE if s[OWES] and size(s, OPENED) < 2 else 0


@compiled
def _take_up_to(s: Array, tag: int, nacked: bool) -> int:
    covered, row = 0, first(s, OPENED)
    while row and s[row + KEY] <= tag:
        if nacked and add_recent(s, NACKED, s[row + KEY], 0):
            s[FORGOT_NACKED] = True
        drop(s, OPENED, row)
        covered += 1
        row = first(s, OPENED)
    return covered


# -- nacks --------------------------------------------------------------------------------------


@compiled
def nack(s: Array, tag: int, multiple: bool) -> int:
    """Judge a nack, as an ack."""
    row = find(s, OPENED, tag)
    if not row:
        return _not_open(s, tag, True)
    if count(s, RETURNED):
        return _not_acked(s)
    if s[OWES]:
        return no.LONE
    if multiple:
        _nack_up_to(s, tag)
        return 0
    return _nack_one(s, tag, row)


@compiled
def _nack_up_to(s: Array, tag: int) -> None:
    _take_up_to(s, tag, True)
    if s[PHASE] != _ACKS:
        clear_queue(s, KEPT)
    while count(s, KEPT) and s[at(s, KEPT, 0)] < tag:
        pop(s, KEPT)
    s[PHASE], s[LAST_OF_HALF], s[BELOW] = _NACKS, 0, False


@compiled
def _nack_one(s: Array, tag: int, row: int) -> int:
    above = _first_open(s) != tag
    if s[PHASE] == _NACKS and tag < s[LAST_OF_HALF]:
        clear_queue(s, KEPT)
        s[BELOW] = False
    if not _goes_with_acks(s, tag, above) and not above:
        return no.NACKED_ALONE
    drop(s, OPENED, row)
    if add_recent(s, NACKED, tag, 0):
        s[FORGOT_NACKED] = True
    s[PHASE], s[LAST_OF_HALF] = _NACKS, tag
    return 0


@compiled
def _goes_with_acks(s: Array, tag: int, above: bool) -> bool:
    """Tell whether a single nack may be of a flush that has acked something below it.

    Beginnings that it cannot go with are given up.
    """
    s[BELOW] = s[BELOW] and tag <= s[LIMIT]
    while count(s, KEPT) and s[at(s, KEPT, 0) + 1] < tag:
        pop(s, KEPT)
    while count(s, KEPT) and not above and s[at(s, KEPT, count(s, KEPT) - 1)] > tag:
        pop_last(s, KEPT)
    return s[BELOW] != 0 or count(s, KEPT) != 0


# -- where the beginning is missing -------------------------------------------------------------


@compiled
def settle_unknown(s: Array, tag: int, multiple: bool, nacks: bool) -> int:
    """Judge an ack or a nack where nobody knows what is open: no number is settled twice."""
    if tag <= s[FLOOR] or find(s, SINGLY, tag):
        return no.NACKED_AGAIN if nacks else no.ACKED_AGAIN
    if multiple:
        s[FLOOR] = tag
    else:
        add_recent(s, SINGLY, tag, 0)
    return 0
