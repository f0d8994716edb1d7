"""What consumers are owed when all that was published is settled, and nothing said is unprocessed.

A message that must be with its queue is ready, unless a channel has it.  Then it is owed to a
consumer of that queue that has room.  Of room a client knows little, since the broker counts; but
there is some where no limit was ever asked for, and where a channel has nothing unsettled.

A consumer whose queue was deleted is owed the news of that.

Neither has a time by which it must come, so these are waited for, and only then named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ackproof.conform.kit.ledger import unconsumed
from ackproof.conform.kit.session import Session
from ackproof.conform.kit.trace import Life, Queue, Subscription, Trace

__all__ = ["owed"]


def owed(trace: Trace, sessions: Sequence[Session]) -> list[tuple[str, str]]:
    """Return what has still to come: the name of the rule, and what it is.

    Args:
        trace: the run so far.
        sessions: those that have not ended, of which all is processed.
    """
    return [*_undelivered(trace, sessions), *_untold(trace, sessions)]


def _undelivered(trace: Trace, sessions: Sequence[Session]) -> Iterator[tuple[str, str]]:
    """What is ready goes to a consumer that has room for it (INV-B3)."""
    held = {(d.number, d.queue) for session in sessions for d in session.held()}
    waiting = [
        (subscription, session)
        for session in sessions
        for subscription in session.subscriptions.values()
        if not subscription.cancelled and not (session.limited and session.held())
    ]
    if not waiting:
        return
    for message, queue, life in unconsumed(trace):
        if (message.number, queue.name) in held or queue.crashed:
            continue
        if any(one.queue == queue.name and life.declared.before(one.said) for one, _ in waiting):
            why = f"message {message.number} is in {queue.name!r}, and does not come to a consumer"
            yield "ReadyIsDelivered", f"{why} that has room for it"


def _untold(trace: Trace, sessions: Sequence[Session]) -> Iterator[tuple[str, str]]:
    """A consumer is told that its queue is gone (F3.3)."""
    for session in sessions:
        for tag, subscription in session.subscriptions.items():
            queue = trace.queue(subscription.queue)
            if not subscription.cancelled and _has_lost(queue, subscription):
                why = f"the queue {queue.name!r} of the consumer {tag} was deleted"
                yield "F3.3", f"{why}, and the consumer is not told"


def _has_lost(queue: Queue, subscription: Subscription) -> bool:
    """Tell whether the queue of a consumer was surely deleted."""
    return not (queue.blurred or queue.crashed) and any(
        _served(life, subscription) for life in queue.lives
    )


def _served(life: Life, subscription: Subscription) -> bool:
    """Tell whether a consumer was surely one of a queue that was deleted later."""
    said, deleted = subscription.said, life.deleted
    return deleted is not None and life.declared.before(said) and said.before(deleted)
