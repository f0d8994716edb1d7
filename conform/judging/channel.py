"""The channel: what one channel's frames alone prove, event by event.

It follows no set of explaining states.  What a channel may say next depends on a few things that
frames show entirely: which numbers are open, what the current flush has begun
(`ackproof.conform.judging.settling`), which mandatory messages may still come back (`returning`),
who has which deliveries (`delivering`), and which requests wait for an answer.  So an event takes
constant time, amortised, and there is room for what is in flight only.

What the client says is in the order in which the broker reads it, and the mode of the channel
follows from it: not from the answers.  How far the broker has read, each of its frames shows a
little: an answer is one to the oldest request, an ack means that its publish was processed.  Where
a client has asked for what must close the channel (A1.2, A1.3, A1.4, F1.3), no frame may show that
the broker has read on.

Of a channel whose beginning nobody saw, less can be proven, and nothing is made up: no number is
settled twice, delivery tags follow one another, nothing comes after the end.  When it is opened
again, everything is known.
"""

from __future__ import annotations

import numpy as np
from ackproof.conform.judging import facts as e
from ackproof.conform.judging import refusals as no
from ackproof.conform.judging.books import (
    BATCH,
    CLOSING,
    CONFIRM,
    ENDED,
    FATAL,
    FATAL_PLACE,
    FATAL_PUBLISHED,
    KNOWN,
    MODE,
    NONE,
    PLACE,
    PUBLISHED,
    RECOVERING,
    REFUSED,
    REQUESTS,
    SURE,
    TX,
    UNKNOWN,
    WHY,
    begin,
)
from ackproof.conform.judging.compiled import compiled, kept
from ackproof.conform.judging.delivering import (
    commit,
    deliver,
    fetch,
    limit,
    limited,
    recovered,
    roll_back,
    settle,
    start,
    started,
    stop,
    stopped,
)
from ackproof.conform.judging.returning import (
    PLACE_OF,
    TAG_OF,
    match,
    may_return,
    processed_to_place,
    processed_to_tag,
)
from ackproof.conform.judging.settling import (
    ack,
    give_back,
    interrupt,
    nack,
    publish,
    settle_unknown,
)
from ackproof.conform.judging.shelves import (
    Array,
    at,
    clear_queue,
    count,
    pop,
    push,
)

__all__ = ["judge"]

#: The request that an answer is to, by the kind of the answer, and what is wrong if none waits.
_ANSWERS = {
    e.OPEN_OK: (e.OPEN, no.NO_OPEN),
    e.SELECT_OK: (e.SELECT, no.NO_SELECT),
    e.TX_SELECT_OK: (e.TX_SELECT, no.NO_TX_SELECT),
    e.COMMIT_OK: (e.COMMIT, no.NO_COMMIT),
    e.ROLLBACK_OK: (e.ROLLBACK, no.NO_ROLLBACK),
    e.QOS_OK: (e.QOS, no.NO_QOS),
    e.GET_OK: (e.GET, no.NO_GET),
    e.GET_EMPTY: (e.GET, no.NO_GET_TO_MISS),
    e.RECOVER_OK: (e.RECOVER, no.NO_RECOVER),
}
_NO_REQUEST = (-1, 0)
_REQUEST = np.array([_ANSWERS.get(kind, _NO_REQUEST) for kind in range(e.GAP + 1)])

_CLOSED, _CLOSED_ON_DEMAND = 1, 2


@kept
def judge(
    s: Array, kind: int, bits: int, tag: int, prefetch: int, consumer: int, identity: int
) -> int:
    """Take the next event; return why it is refused, 0 if it is not, or nothing is judged."""
    if s[REFUSED] and kind != e.OPEN and kind != e.GAP:
        return 0
    wrong = 0
    if kind < e.FIRST_OF_BROKER or kind == e.GAP:
        s[PLACE] += 1
        _hear_client(s, kind, bits, tag, prefetch, consumer, identity)
    else:
        wrong = _goes_on(s, kind)
        if not wrong:
            wrong = _hear_broker(s, kind, bits, tag, consumer, identity)
    s[REFUSED] = wrong
    return wrong


@compiled
def _goes_on(s: Array, kind: int) -> int:
    """Judge that the broker says something, whatever it is."""
    if s[ENDED] and kind != e.CLOSE_OK:
        return no.AFTER_CLOSE if s[ENDED] == _CLOSED else no.AFTER_CLOSE_OK
    return 0 if kind == e.ACK or kind == e.NACK else interrupt(s)


@compiled
def _hear_client(
    s: Array, kind: int, bits: int, tag: int, prefetch: int, consumer: int, identity: int
) -> None:
    if kind == e.PUBLISH:
        _publishes(s, identity, bits & e.MANDATORY != 0)
    elif kind == e.CONSUMER_ACK or kind == e.CONSUMER_REJECT:
        if settle(s, tag, bits & e.MULTIPLE != 0, s[MODE] == TX):
            _must_close(s, no.GONE_ON_UNKNOWN_TAG)
    elif kind == e.GET:
        _ask(s, kind, bits & e.NO_ACK != 0)
    elif kind == e.COMMIT or kind == e.ROLLBACK:
        _ends_transaction(s, kind)
    elif kind == e.SELECT or kind == e.TX_SELECT:
        _selects(s, kind, bits & e.NOWAIT != 0)
    elif kind == e.CONSUME:
        start(s, consumer, bits & e.NO_ACK != 0, bits & e.NOWAIT != 0)
    elif kind == e.STOP:
        stop(s, consumer, bits & e.NOWAIT != 0)
    elif kind == e.QOS:
        limit(s, prefetch, bits & e.SHARED != 0)
        _ask(s, kind, False)
    elif kind == e.RECOVER:
        _recovers(s, bits & e.NOWAIT != 0)
    elif kind == e.CLOSE:
        s[CLOSING] += 1
    elif kind == e.OPEN:
        begin(s, True)
        s[PLACE] = 1
        _ask(s, kind, False)
    elif kind == e.GAP:
        begin(s, False)


@compiled
def _hear_broker(s: Array, kind: int, bits: int, tag: int, consumer: int, identity: int) -> int:
    if kind == e.DELIVER:
        return deliver(s, tag, consumer)
    if kind == e.ACK or kind == e.NACK:
        return _confirms(s, kind, tag, bits & e.MULTIPLE != 0)
    if kind == e.RETURN:
        return _returns(s, identity)
    if _REQUEST[kind, 0] >= 0:
        return _answers(s, kind, tag)
    if kind == e.CONSUME_OK:
        return started(s, consumer)
    if kind == e.CANCEL_OK or kind == e.CANCEL:
        return stopped(s, consumer, kind == e.CANCEL_OK)
    if kind == e.CHANNEL_CLOSE:
        return _complains(s, bits)
    if kind == e.CLOSE_OK:
        return _has_closed(s)
    return 0


# -- how far the broker has read ----------------------------------------------------------------


@compiled
def _processed_to(s: Array, place: int) -> int:
    if s[FATAL] and place >= s[FATAL_PLACE]:
        return s[FATAL]
    processed_to_place(s, place)
    return 0


@compiled
def _processed_publish(s: Array, tag: int) -> int:
    if s[FATAL] and tag > s[FATAL_PUBLISHED]:
        return s[FATAL]
    if count(s, REQUESTS):
        oldest = at(s, REQUESTS, 0)
        if s[oldest + 0] == e.SELECT and tag > s[oldest + 2]:
            return no.BEFORE_SELECT_OK
    processed_to_tag(s, tag)
    return 0


@compiled
def _must_close(s: Array, cause: int) -> None:
    if not s[FATAL] and s[KNOWN]:
        s[FATAL], s[FATAL_PLACE] = cause, s[PLACE]
        s[FATAL_PUBLISHED] = s[PUBLISHED]


@compiled
def _ask(s: Array, kind: int, no_ack: bool) -> None:
    push(s, REQUESTS, kind, s[PLACE], s[PUBLISHED], no_ack)


# -- modes and transactions ---------------------------------------------------------------------


@compiled
def _selects(s: Array, kind: int, nowait: bool) -> None:
    wanted, other = (CONFIRM, TX) if kind == e.SELECT else (TX, CONFIRM)
    if s[MODE] == other:
        _must_close(s, no.GONE_ON_BOTH_MODES)
    elif s[MODE] == NONE:
        s[MODE] = wanted
    if kind == e.TX_SELECT or not nowait:
        _ask(s, kind, False)


@compiled
def _ends_transaction(s: Array, kind: int) -> None:
    if s[MODE] == NONE or s[MODE] == CONFIRM:
        _must_close(s, no.GONE_ON_NO_TRANSACTION)
    if kind == e.COMMIT:
        for place in range(count(s, BATCH)):
            may_return(s, s[PLACE], 0, s[at(s, BATCH, place)])
            s[PLACE] += 1
        commit(s)
    else:
        roll_back(s)
    clear_queue(s, BATCH)
    _ask(s, kind, False)


# -- answers ------------------------------------------------------------------------------------


@compiled
def _answers(s: Array, kind: int, tag: int) -> int:
    if not count(s, REQUESTS) or s[at(s, REQUESTS, 0)] != _REQUEST[kind, 0]:
        return _REQUEST[kind, 1] if s[KNOWN] else _learn(s, kind, tag, True)
    row = at(s, REQUESTS, 0)
    place, no_ack = s[row + 1], s[row + 3] != 0
    pop(s, REQUESTS)
    wrong = _processed_to(s, place)
    return wrong if wrong else _learn(s, kind, tag, no_ack)


@compiled
def _learn(s: Array, kind: int, tag: int, no_ack: bool) -> int:
    if kind == e.GET_OK:
        return fetch(s, tag, no_ack)
    if kind == e.RECOVER_OK:
        recovered(s)
    elif kind == e.QOS_OK:
        limited(s)
    elif kind == e.TX_SELECT_OK and s[MODE] == UNKNOWN:
        s[MODE] = TX
    return 0


# -- publishing ---------------------------------------------------------------------------------


@compiled
def _publishes(s: Array, identity: int, mandatory: bool) -> None:
    mode = s[MODE]
    tag = publish(s) if mode == CONFIRM else 0
    if not mandatory:
        return
    if mode == TX:
        push(s, BATCH, identity, 0, 0, 0)
    elif mode != UNKNOWN:
        may_return(s, s[PLACE], tag, identity)


@compiled
def _returns(s: Array, identity: int) -> int:
    if not s[KNOWN]:
        return 0
    wrong, row, sure = match(s, identity)
    if wrong or not row:
        return wrong
    place, tag = s[row + PLACE_OF], s[row + TAG_OF]
    wrong = _processed_to(s, place)
    if not wrong and sure and tag:
        give_back(s, tag)
    return wrong


@compiled
def _confirms(s: Array, kind: int, tag: int, multiple: bool) -> int:
    nacks = kind == e.NACK
    if s[MODE] == CONFIRM:
        wrong = nack(s, tag, multiple) if nacks else ack(s, tag, multiple)
        return wrong if wrong else _processed_publish(s, tag)
    if s[MODE] == UNKNOWN:
        return settle_unknown(s, tag, multiple, nacks)
    if s[MODE] == TX:
        return no.NACK_IN_TRANSACTION if nacks else no.ACK_IN_TRANSACTION
    return no.UNASKED


# -- the end ------------------------------------------------------------------------------------


@compiled
def _recovers(s: Array, nowait: bool) -> None:
    if nowait:
        s[SURE] = False
    else:
        s[RECOVERING] += 1
        _ask(s, e.RECOVER, False)


@compiled
def _complains(s: Array, bits: int) -> int:
    s[ENDED] = _CLOSED
    if not s[KNOWN]:
        return 0
    if bits & e.UNKNOWN_TAG and s[SURE] and s[FATAL] != no.GONE_ON_UNKNOWN_TAG:
        s[WHY] = e.UNKNOWN_TAG
        return no.UNCAUSED_UNKNOWN_TAG
    for said in (e.TX_TO_CONFIRM, e.CONFIRM_TO_TX):
        if bits & said and s[FATAL] != no.GONE_ON_BOTH_MODES:
            s[WHY] = said
            return no.UNCAUSED_BOTH_MODES
    if bits & e.NOT_TRANSACTIONAL and s[FATAL] != no.GONE_ON_NO_TRANSACTION:
        s[WHY] = e.NOT_TRANSACTIONAL
        return no.UNCAUSED_NO_TRANSACTION
    if bits & e.PARTIAL_COMPLETION and not _commit_waits(s):
        return no.NO_COMMIT_FAILED
    return 0


@compiled
def _commit_waits(s: Array) -> bool:
    waiting = 0
    for place in range(count(s, REQUESTS)):
        waiting += s[at(s, REQUESTS, place)] == e.COMMIT
    return waiting != 0


@compiled
def _has_closed(s: Array) -> int:
    if s[CLOSING] == 0 and s[KNOWN]:
        return no.UNASKED_CLOSE
    s[CLOSING] = max(s[CLOSING] - 1, 0)
    s[ENDED] = _CLOSED_ON_DEMAND
    return 0
