"""The ledger: what must be true of every message of a run, across channels and queues.

It takes the trace of a whole run, and names what no broker that keeps its promises can have done.
Each rule is a function, and goes by the name of the specification's property where there is one.

Nothing is concluded of what nobody can know.  A publish is only spoken of by what its publisher was
told.  Where it is open which of two things was processed first, both orders are allowed.  What a
client may have consumed, though nobody saw it, may be gone; so may what a queue without a disk had
when it crashed, and what need not be kept for as long as a run takes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ackproof.conform.kit.operations import Do
from ackproof.conform.kit.routing import (
    at_once,
    may_expire,
    may_reach,
    reached,
    surely_reaches,
)
from ackproof.conform.kit.trace import Delivery, Life, Publish, Queue, Trace
from ackproof.conform.violations import rules_of

__all__ = ["RULES", "Finding", "delayed", "findings", "missing"]

#: The properties that are named here; four names are no properties, and say themselves what they
#: mean: OnlyThePublished, DeclaredIsThere, ClosedWithCause, EndsWithItsConnection.
_PROPERTIES = (
    "AckMeansAccepted",
    "CommitMeansAccepted",
    "ConfirmedSurvives",
    "CommittedSurvives",
    "RollbackLeavesNoTrace",
    "RedeliveredIsMarked",
    "NoSecondCopy",
    "DeliveredInOrder",
    "MandatoryIsReturned",
    "ReturnedIsUnroutable",
    "NackOnlyWithCause",
    "EveryPublishSettles",
)
#: The rules behind the name of each.
RULES: dict[str, tuple[str, ...]] = {name: rules_of(name) for name in _PROPERTIES}


class Finding(NamedTuple):
    """Something that the broker has done and must not do: the name of a rule, and what it was."""

    name: str
    why: str


class _Book:
    """A trace, with its deliveries by message and queue."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.handed: dict[tuple[int, str], list[Delivery]] = defaultdict(list)
        for delivery in trace.deliveries:
            if self.message(delivery) is not None:
                self.handed[delivery.number or 0, delivery.queue].append(delivery)

    def message(self, delivery: Delivery) -> Publish | None:
        """Return the message that was handed out, if it is one of the run."""
        number = delivery.number
        if number is None or not 1 <= number <= len(self.trace.publishes):
            return None
        message = self.trace.publishes[number - 1]
        same = message.content.message == delivery.content.message
        return message if same else None

    def pairs(self) -> Iterator[tuple[Publish, Queue, list[Delivery]]]:
        """Yield each message with a queue that has handed it out, and how often."""
        for (number, name), deliveries in self.handed.items():
            yield self.trace.publishes[number - 1], self.trace.queue(name), deliveries


# -- what is in the queues ------------------------------------------------------------------------


def _lost(book: _Book) -> Iterator[Finding]:
    """An acked or committed message is in each of its queues until it is consumed."""
    for message, queue, life in _losses(book):
        told = "committed" if message.mode == "tx" else "acked"
        where = f"{_called(life)} {queue.name!r}"
        full = ", which refuses what it has no room for," if life.refuses else ""
        why = f"message {message.number} is {told}, and {where}{full} has not got it"
        yield Finding(_name_of_loss(message, queue), f"{why}: nobody has consumed it")


def _losses(book: _Book) -> Iterator[tuple[Publish, Queue, Life]]:
    for message in book.trace.publishes:
        if message.fate == "acked":
            for queue, life in reached(book.trace, message, surely=True):
                if _must_be_there(book, message, queue, life):
                    yield message, queue, life


def _must_be_there(book: _Book, message: Publish, queue: Queue, life: Life) -> bool:
    if life.deleted is not None or queue.missing or _may_be_dropped(book, message, queue, life):
        return False
    if may_expire(message, life):
        return False
    if queue.crashed and not (message.said.operation.persistent and _durable(life)):
        return False
    if any(s.no_ack and s.queue == queue.name for s in book.trace.subscriptions):
        return False
    if any(g.no_ack and not g.answer and g.queue == queue.name for g in book.trace.gets):
        return False
    handed = book.handed.get((message.number, queue.name), [])
    return not any(delivery.perhaps_consumed() for delivery in handed)


def _may_be_dropped(book: _Book, message: Publish, queue: Queue, life: Life) -> bool:
    """Tell whether as many messages may be behind it as there is room for.

    That is what came later, or came back.
    """
    if not life.drops:
        return False
    rivals = [
        other
        for other in book.trace.publishes
        if other is not message and may_reach(other, queue, life)
    ]
    later = [
        other
        for other in rivals
        if not _goes_first(other, message) or (other.number, queue.name) in book.handed
    ]
    return len(later) >= (life.limit or 0)


def _goes_first(message: Publish, other: Publish) -> bool:
    """Tell whether a message was surely routed before another."""
    one, two = message.routed, other.routed
    if one is None or two is None:
        return True
    return one.before(two) or (one is two and message.number < other.number)


def _name_of_loss(message: Publish, queue: Queue) -> str:
    if message.mode == "tx":
        return "CommittedSurvives" if queue.crashed else "CommitMeansAccepted"
    return "ConfirmedSurvives" if queue.crashed else "AckMeansAccepted"


def _durable(life: Life) -> bool:
    return life.declared.operation.durable


def _called(life: Life) -> str:
    return "the queue" if life.limit is None else f"the queue of at most {life.limit}"


def _hidden(book: _Book) -> Iterator[Finding]:
    """What was acked before somebody asks for a message is there to be fetched."""
    for get in book.trace.gets:
        queue = book.trace.queue(get.queue)
        if get.answer != "empty" or queue.crashed or queue.blurred:
            continue
        if any(s.queue == queue.name and s.said.at < get.at for s in book.trace.subscriptions):
            continue
        for message in book.trace.publishes:
            life = _ready_for(book, message, queue, get.said.at, get.at)
            if life is not None and life.declared.before(get.said):
                why = f"message {message.number} was acked before basic.get was answered with empty"
                yield Finding("AckMeansAccepted", f"{why}, and is ready in {queue.name!r}")
                break


def _ready_for(
    book: _Book, message: Publish, queue: Queue, asked: int, answered: float
) -> Life | None:
    if message.fate != "acked" or message.settled > asked:
        return None
    if any(d.source.at <= answered for d in book.handed.get((message.number, queue.name), [])):
        return None
    if any(not g.answer and g.queue == queue.name for g in book.trace.gets):
        return None
    for life in queue.lives:
        gone = life.deleted is not None and life.deleted.at < answered
        if surely_reaches(message, queue, life) and not gone:
            gone = may_expire(message, life) or _may_be_dropped(book, message, queue, life)
            return None if gone else life
    return None


def _vanished(book: _Book) -> Iterator[Finding]:
    """A queue that was declared is there until it is deleted."""
    for queue in book.trace.queues.values():
        if queue.missing:
            why = f"the queue {queue.name!r} was declared, not deleted, and is not there"
            yield Finding("DeclaredIsThere", why)


def _shared(book: _Book) -> Iterator[Finding]:
    """A queue that belongs to a connection refuses the others, and ends with it (B8.1)."""
    for queue in book.trace.queues.values():
        if queue.shared:
            why = f"the queue {queue.name!r} is exclusive, and another connection is let in"
            yield Finding("B8.1", why)
        if queue.outlived:
            why = f"the queue {queue.name!r} is exclusive, and is there when its connection is not"
            yield Finding("EndsWithItsConnection", why)


def _overfull(book: _Book) -> Iterator[Finding]:
    """No more messages are ready than a queue has room for, unless some came back (B5.2, B5.4)."""
    returned = {d.queue for d in book.trace.deliveries if not d.surely_consumed()}
    returned |= {s.queue for s in book.trace.subscriptions}
    returned |= {g.queue for g in book.trace.gets if not g.answer}
    for queue in book.trace.queues.values():
        life = queue.alive
        if life is None or life.limit is None or queue.blurred or queue.crashed:
            continue
        if queue.left > life.limit and queue.name not in returned:
            why = f"{queue.left} messages are ready in {queue.name!r}, which has room for "
            yield Finding("B5.2" if life.drops else "B5.4", f"{why}{life.limit}")


# -- what is handed out ---------------------------------------------------------------------------


def _strange(book: _Book) -> Iterator[Finding]:
    """What is handed out was published, to this queue, and is as it was published."""
    for delivery in book.trace.deliveries:
        message = book.message(delivery)
        if message is None:
            yield Finding("OnlyThePublished", f"{delivery.queue!r} hands out what nobody published")
        elif not _alike(message, delivery):
            why = f"message {message.number} comes out of {delivery.queue!r} changed"
            yield Finding("OnlyThePublished", why)


def _alike(message: Publish, delivery: Delivery) -> bool:
    one, other = message.content, delivery.content
    same = one.identity == other.identity and one.size == other.size
    return same and one.persistent == other.persistent


def _misplaced(book: _Book) -> Iterator[Finding]:
    """What is handed out was put into this queue, and not into one that is gone."""
    for message, queue, deliveries in book.pairs():
        if message.mode == "tx" and message.commit is None:
            why = f"message {message.number} was never committed, and {queue.name!r} hands it out"
            yield Finding("RollbackLeavesNoTrace", why)
        elif not queue.blurred:
            places = [life for life in queue.lives if may_reach(message, queue, life)]
            for delivery in deliveries:
                yield from _from_elsewhere(message, queue, delivery, places)


def _from_elsewhere(
    message: Publish, queue: Queue, delivery: Delivery, places: list[Life]
) -> Iterator[Finding]:
    source = delivery.source
    alive = [p for p in places if p.deleted is None or not p.deleted.before(source)]
    if not alive:
        why = f"{queue.name!r} hands out message {message.number}, which it cannot have got"
        yield Finding("OnlyThePublished", why)
    elif all(source.before(life.declared) for life in alive):
        why = f"message {message.number} comes to a consumer of a queue {queue.name!r} that was "
        yield Finding("F3.3", f"{why}deleted, and is of the one that was declared after it")


def _expired(book: _Book) -> Iterator[Finding]:
    """What has no time to wait in a queue is not there when somebody asks (B4.1)."""
    for message, queue, deliveries in book.pairs():
        if queue.crashed or queue.blurred or not any(map(_fetched, deliveries)):
            continue
        places = [life for life in queue.lives if may_reach(message, queue, life)]
        if places and all(at_once(message, life) for life in places):
            why = f"message {message.number} expires at once, and basic.get finds it in "
            yield Finding("B4.1", f"{why}{queue.name!r}")


def _fetched(delivery: Delivery) -> bool:
    return delivery.source.operation.do == Do.GET


def _repeated(book: _Book) -> Iterator[Finding]:
    """A queue hands a message out once without the mark, and never again once it was consumed."""
    for message, queue, deliveries in book.pairs():
        if queue.crashed or queue.blurred:
            continue
        if sum(not d.content.redelivered for d in deliveries) > 1:
            why = f"{queue.name!r} hands out message {message.number} twice without the mark"
            yield Finding("RedeliveredIsMarked", why)
        if sum(d.surely_consumed() for d in deliveries) > 1:
            why = f"{queue.name!r} hands out message {message.number} again after it was consumed"
            yield Finding("NoSecondCopy", why)


def _disordered(book: _Book) -> Iterator[Finding]:
    """First deliveries of a queue to a channel are, for each publishing channel, in order.

    What was fetched by basic.get is one line, and what came to consumers is another: an answer and
    a delivery may pass each other on their way.
    """
    latest: dict[tuple[str, int, int, bool, bool], int] = {}
    for delivery in sorted(book.trace.deliveries, key=lambda d: d.at):
        message = book.message(delivery)
        queue = book.trace.queue(delivery.queue)
        if message is None or delivery.content.redelivered or queue.crashed or queue.blurred:
            continue
        said = message.said
        fetched = _fetched(delivery)
        places = delivery.queue, delivery.source.session, said.session
        line = (*places, said.operation.fanout, fetched)
        before = latest.get(line, 0)
        if message.number < before:
            why = f"{queue.name!r} hands out message {message.number} after {before}, which the "
            yield Finding("DeliveredInOrder", f"{why}same channel published later")
        latest[line] = max(before, message.number)


# -- what publishers are told ---------------------------------------------------------------------


def _mandatory(book: _Book) -> Iterator[Finding]:
    """A mandatory message comes back if no queue can have got it, and only if one may not have."""
    for message in book.trace.publishes:
        if not message.said.operation.mandatory or any(
            q.blurred for q in book.trace.queues.values()
        ):
            continue
        sure = next(reached(book.trace, message, surely=True), None)
        if message.returned and sure is not None and not sure[0].crashed:
            why = f"message {message.number} comes back, and {sure[0].name!r} was there for it"
            yield Finding("ReturnedIsUnroutable", why)
        if message.fate and not message.returned and not _may_be_routed(book, message):
            why = f"message {message.number} is {message.fate}, went nowhere, and did not come back"
            yield Finding("MandatoryIsReturned", why)


def _may_be_routed(book: _Book, message: Publish) -> bool:
    return next(reached(book.trace, message, surely=False), None) is not None


def _nacked(book: _Book) -> Iterator[Finding]:
    """A nack has a cause: a queue that was full, failed, or was deleted meanwhile."""
    for message in book.trace.publishes:
        if message.fate != "nacked" or any(q.blurred for q in book.trace.queues.values()):
            continue
        places = reached(book.trace, message, surely=False)
        if not any(_may_refuse(message, queue, life) for queue, life in places):
            why = f"message {message.number} is nacked, and no queue of it was full or failed"
            yield Finding("NackOnlyWithCause", why)


def _may_refuse(message: Publish, queue: Queue, life: Life) -> bool:
    deleted = life.deleted is not None and life.deleted.at < message.settled
    return queue.crashed or life.refuses or deleted


def _overdue(book: _Book) -> Iterator[Finding]:
    """What was published is settled, if the channel stays open."""
    numbers = [message.number for message in book.trace.publishes if message.overdue]
    if numbers:
        why = f"of {_list(numbers)} nothing is heard, and the channel has answered since"
        yield Finding("EveryPublishSettles", why)


def _list(numbers: list[int]) -> str:
    words = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
    return f"message {words}" if len(numbers) == 1 else f"messages {words}"


def _closed(book: _Book) -> Iterator[Finding]:
    """The broker closes a channel or connection only if its client gave a cause."""
    for close in book.trace.closes:
        if not close.expected:
            why = f"{close.where} is closed with {close.code} {close.text!r}, without a cause"
            yield Finding("ClosedWithCause", why)


#: The rules of a run that has come to its end, in the order in which findings are told, and those
#: of any run: of one that was broken off it is not known what was in its queues.
_AT_THE_END = (_lost, _hidden, _vanished, _shared, _overfull, _repeated)
_ANYWAY = (_strange, _misplaced, _expired, _disordered, _mandatory, _nacked, _overdue, _closed)


def findings(trace: Trace, *, complete: bool = True) -> list[Finding]:
    """Return what is wrong with a run.

    Args:
        trace: what it has shown.
        complete: it has come to its end, and its queues are empty.
    """
    book = _Book(trace)
    rules = (*_AT_THE_END, *_ANYWAY) if complete else _ANYWAY
    return [finding for rule in rules for finding in rule(book)]


def missing(trace: Trace) -> bool:
    """Tell whether messages are missing from queues."""
    return next(_losses(_Book(trace)), None) is not None


def delayed(trace: Trace) -> bool:
    """Tell whether what is missing may be on its way back, from a crash or a broken connection."""
    waits = {d.queue for d in trace.deliveries if d.source.session in trace.broken}
    waits |= {s.queue for s in trace.subscriptions if s.said.session in trace.broken}
    waits |= {g.queue for g in trace.gets if g.said.session in trace.broken}
    return any(q.crashed or q.name in waits for _, q, _ in _losses(_Book(trace)))
