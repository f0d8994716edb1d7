"""Routing: which queues a message was put into, for certain or perhaps.

A message is routed when the broker processes its publish, or the commit of it.  It surely goes into
a queue that was there, and bound, before the publish was processed, and was not deleted before the
message was routed; it may go into one of which the order is not known.  One of a transaction may
also find its way when it is published, by the name of a queue, and take it when it is committed.

An alternate exchange gets what finds no queue, and the exchange that has it finds none.  So what is
published there is routed as if it were published to the alternate.
"""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.conform.kit.trace import Life, Publish, Queue, Trace

__all__ = ["at_once", "may_expire", "may_reach", "reached", "surely_reaches"]

#: Milliseconds that are more than a run takes.
_LONG = 3_600_000


def surely_reaches(message: Publish, queue: Queue, life: Life) -> bool:
    """Tell whether a message is put into a queue, if its publish was processed."""
    routed, operation = message.routed, message.said.operation
    if routed is None or not life.declared.before(message.said):
        return False
    if life.deleted is not None and not routed.before(life.deleted):
        return False
    if operation.fanout or operation.alternate:
        return any(bind.before(message.said) for bind in life.binds)
    return operation.queue == queue.name


def may_reach(message: Publish, queue: Queue, life: Life) -> bool:
    """Tell whether a message may be put into a queue."""
    routed, operation = message.routed, message.said.operation
    if routed is None or routed.before(life.declared):
        return False
    if life.deleted is not None and life.deleted.before(message.said):
        return False
    if operation.fanout or operation.alternate:
        lives = queue.lives if message.mode == "tx" else [life]
        return any(not routed.before(bind) for one in lives for bind in one.binds)
    return operation.queue == queue.name


def reached(trace: Trace, message: Publish, *, surely: bool) -> Iterator[tuple[Queue, Life]]:
    """Yield the queues that a message was put into, for certain or perhaps.

    A queue of which it is not known when it was there may have got anything.
    """
    test = surely_reaches if surely else may_reach
    for queue in trace.queues.values():
        if surely and queue.blurred:
            continue
        for life in queue.lives:
            if test(message, queue, life):
                yield queue, life


def _time(message: Publish, life: Life) -> int | None:
    """Return for how many milliseconds a queue keeps a message; None if for ever."""
    times = (life.declared.operation.ttl, message.said.operation.expires)
    return min((time for time in times if time is not None), default=None)


def may_expire(message: Publish, life: Life) -> bool:
    """Tell whether a message may be gone from a queue because its time is over."""
    time = _time(message, life)
    return time is not None and time < _LONG


def at_once(message: Publish, life: Life) -> bool:
    """Tell whether a message has no time at all: only a consumer that waits can get it (B4.1)."""
    return _time(message, life) == 0
