"""The methods that there are most of, read by compiled code: those of every message, and answers.

What a method is depends on who says it.  Methods that are rare, that have tables, or whose texts
are not plain, are for `ackproof.conform.decoding`, as is everything that could be an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ackproof.conform.events import Kind
from ackproof.conform.judging import facts as e
from ackproof.conform.judging.compiled import compiled
from ackproof.conform.scanning.books import CLIENT
from ackproof.conform.scanning.reading import NOT_PLAIN, big, number_of, short_end
from pamqp import commands

__all__ = ["NO_METHOD", "is_named", "read_method"]

#: It is not read here.
NO_METHOD = -1

_INDEX, _LONG, _SHORT = 4, 8, 2
_PUBLISH = commands.Basic.Publish.index
_RETURN = commands.Basic.Return.index
_DELIVER = commands.Basic.Deliver.index
_GET = commands.Basic.Get.index
_GET_OK = commands.Basic.GetOk.index
_ACK = commands.Basic.Ack.index
_NACK = commands.Basic.Nack.index
_REJECT = commands.Basic.Reject.index

#: Those without anything that matters: who says it, which method it is, and the event.
_BARE = {
    (0, commands.Tx.Select): Kind.TX_SELECT,
    (0, commands.Tx.Commit): Kind.COMMIT,
    (0, commands.Tx.Rollback): Kind.ROLLBACK,
    (1, commands.Tx.SelectOk): Kind.TX_SELECT_OK,
    (1, commands.Tx.CommitOk): Kind.COMMIT_OK,
    (1, commands.Tx.RollbackOk): Kind.ROLLBACK_OK,
    (1, commands.Confirm.SelectOk): Kind.SELECT_OK,
    (1, commands.Channel.CloseOk): Kind.CLOSE_OK,
    (1, commands.Basic.QosOk): Kind.QOS_OK,
    (1, commands.Basic.RecoverOk): Kind.RECOVER_OK,
}
_BARE_KEYS = np.array([side << 32 | method.index for side, method in _BARE], np.int64)
_BARE_KINDS = np.array([e.NUMBER[kind] for kind in _BARE.values()], np.int64)


@compiled
def is_named(names: Any, number: int) -> bool:
    """Tell whether a number is in a table of those whose texts are known."""
    place = number % len(names)
    while names[place] != number:
        if names[place] == 0:
            return False
        place = (place + 1) % len(names)
    return True


@compiled
def _nothing() -> Any:
    return NO_METHOD, False, 0, 0, 0, 0, 0, 0


@compiled
def _route(data: Any, at: int, end: int, seeds: Any) -> Any:
    """Return the numbers of exchange and routing key, and where they end."""
    key_at = short_end(data, at, end)
    if key_at == NOT_PLAIN:
        return 0, 0, NOT_PLAIN
    after = short_end(data, key_at, end)
    if after == NOT_PLAIN:
        return 0, 0, NOT_PLAIN
    return number_of(seeds, data, at, key_at), number_of(seeds, data, key_at, after), after


@compiled
def _routed(
    kind: int, bits: int, tag: int, consumer: int, data: Any, at: int, end: int, seeds: Any
) -> Any:
    """Return an event with a content, whose exchange and routing key begin at a place."""
    exchange, key, after = _route(data, at, end, seeds)
    if after == NOT_PLAIN:
        return _nothing()
    return kind, True, bits, tag, consumer, 0, exchange, key


@compiled
def read_method(data: Any, at: int, end: int, side: int, names: Any, seeds: Any) -> Any:
    """Read a method.

    Args:
        data: what it is in.
        at: where it begins.
        end: where it ends.
        side: who says it.
        names: numbers of queues and consumers whose texts are known.
        seeds: of the numbers that stand for texts.

    Returns:
        The event: its kind, whether it has a content, bits, tag, and the numbers of consumer,
        queue, exchange and routing key.  The kind is `NO_METHOD` if it is not read here.
    """
    index = big(data, at, _INDEX)
    at += _INDEX
    if index in (_ACK, _NACK, _REJECT):
        return _settled(data, at, end, side, index)
    if side == CLIENT and index == _PUBLISH:
        return _published(data, at, end, seeds)
    if side != CLIENT and index == _DELIVER:
        return _delivered(data, at, end, names, seeds)
    if side != CLIENT and index == _GET_OK and at + _LONG < end:
        bits = e.REDELIVERED if data[at + _LONG] & 1 else 0
        tag = big(data, at, _LONG)
        found = _routed(e.GET_OK, bits, tag, 0, data, at + _LONG + 1, end, seeds)
        after = _route(data, at + _LONG + 1, end, seeds)[2]
        return found if after != NOT_PLAIN and after + 4 <= end else _nothing()
    if side != CLIENT and index == _RETURN:
        after = short_end(data, at + _SHORT, end)
        return (
            _nothing()
            if after == NOT_PLAIN
            else _routed(e.RETURN, 0, 0, 0, data, after, end, seeds)
        )
    if side == CLIENT and index == _GET:
        return _got(data, at, end, names, seeds)
    for place in range(len(_BARE_KEYS)):
        if _BARE_KEYS[place] == side << 32 | index:
            return _BARE_KINDS[place], False, 0, 0, 0, 0, 0, 0
    return _nothing()


@compiled
def _settled(data: Any, at: int, end: int, side: int, index: int) -> Any:
    if at + _LONG >= end or (index == _REJECT and side != CLIENT):
        return _nothing()
    multiple = index != _REJECT and data[at + _LONG] & 1
    kind = e.ACK if index == _ACK else e.NACK
    if side == CLIENT:
        kind = e.CONSUMER_ACK if index == _ACK else e.CONSUMER_REJECT
    return kind, False, e.MULTIPLE if multiple else 0, big(data, at, _LONG), 0, 0, 0, 0


@compiled
def _published(data: Any, at: int, end: int, seeds: Any) -> Any:
    exchange, key, after = _route(data, at + _SHORT, end, seeds)
    if after == NOT_PLAIN or after >= end:
        return _nothing()
    return e.PUBLISH, True, e.MANDATORY if data[after] & 1 else 0, 0, 0, 0, exchange, key


@compiled
def _delivered(data: Any, at: int, end: int, names: Any, seeds: Any) -> Any:
    after = short_end(data, at, end)
    if after == NOT_PLAIN or after + _LONG >= end:
        return _nothing()
    consumer = number_of(seeds, data, at, after)
    if consumer and not is_named(names, consumer):
        return _nothing()
    bits = e.REDELIVERED if data[after + _LONG] & 1 else 0
    tag = big(data, after, _LONG)
    return _routed(e.DELIVER, bits, tag, consumer, data, after + _LONG + 1, end, seeds)


@compiled
def _got(data: Any, at: int, end: int, names: Any, seeds: Any) -> Any:
    after = short_end(data, at + _SHORT, end)
    if after == NOT_PLAIN or after >= end:
        return _nothing()
    queue = number_of(seeds, data, at + _SHORT, after)
    if queue and not is_named(names, queue):
        return _nothing()
    return e.GET, False, e.NO_ACK if data[after] & 1 else 0, 0, 0, queue, 0, 0
