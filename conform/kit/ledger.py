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
from math import inf
from typing import NamedTuple

from ackproof.conform.kit.operations import Do
from ackproof.conform.kit.routing import (
    at_once,
    may_expire,
    may_reach,
    reached,
    surely_reaches,
)
from ackproof.conform.kit.trace import Delivery, Get, Life, Publish, Queue, Said, Trace
from ackproof.conform.violations import rules_of

__all__ = ["RULES", "Finding", "delayed", "findings", "missing", "unconsumed"]

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
    "NothingBeforeCommit",
    "ReadyIsDelivered",
    "ServedInOrderOfArrival",
    "CommitFailsOnlyWithCause",
    "UnknownTagClosesChannel",
)
#: Reply code of a commit that fails.
_PRECONDITION_FAILED = 406
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
    for get in _asked(book, "empty"):
        for message in book.trace.publishes:
            if _surely_ready(book, message, get):
                why = f"message {message.number} was acked before basic.get was answered with empty"
                yield Finding("AckMeansAccepted", f"{why}, and is ready in {get.queue!r}")
                break


def _overtaken(book: _Book) -> Iterator[Finding]:
    """What basic.get finds leaves nothing behind that the same channel has published before it.

    What is never seen again is lost, and that has a name of its own.
    """
    for get in _asked(book, "ok"):
        found = next((d for d in book.trace.deliveries if d.source is get.said), None)
        message = None if found is None else book.message(found)
        if found is None or message is None:
            continue
        for other in book.trace.publishes[: message.number - 1]:
            later = any(d.at > found.at for d in book.handed.get((other.number, get.queue), ()))
            if later and _same_way(other, message) and _surely_ready(book, other, get):
                why = f"{get.queue!r} hands out message {message.number}, and has message "
                yield Finding("ServedInOrderOfArrival", f"{why}{other.number} ready before it")
                break


def _same_way(one: Publish, other: Publish) -> bool:
    """Tell whether two messages come from one channel, and go by the same exchange."""
    first, second = one.said.operation, other.said.operation
    by_name = (first.fanout, first.alternate) == (second.fanout, second.alternate)
    return one.said.session == other.said.session and by_name


def _asked(book: _Book, answer: str) -> Iterator[Get]:
    """Yield each basic.get with an answer of which all is known that was in the queue."""
    for get in book.trace.gets:
        queue = book.trace.queue(get.queue)
        if get.answer != answer or queue.crashed or queue.blurred:
            continue
        if any(not g.answer and g.queue == queue.name for g in book.trace.gets):
            continue
        if any(s.queue == queue.name and s.said.at < get.at for s in book.trace.subscriptions):
            continue
        yield get


def _surely_ready(book: _Book, message: Publish, get: Get) -> bool:
    """Tell whether a message must be ready when somebody asks for one."""
    if message.fate != "acked" or message.settled > get.said.at:
        return False
    queue = book.trace.queue(get.queue)
    handed = book.handed.get((message.number, queue.name), [])
    if not all(_is_back(d, get) for d in handed if d.source.at <= get.at and d.source != get.said):
        return False
    for life in queue.lives:
        gone = life.deleted is not None and life.deleted.at < get.at
        if surely_reaches(message, queue, life) and not gone:
            gone = may_expire(message, life) or _may_be_dropped(book, message, queue, life)
            return not gone and life.declared.before(get.said)
    return False


def _is_back(delivery: Delivery, get: Get) -> bool:
    """Tell whether a delivery was surely given back: by who asks, before that."""
    settled = delivery.effective
    if settled is None or delivery.final or settled.session != get.said.session:
        return False
    return settled.at < get.said.at


def _vanished(book: _Book) -> Iterator[Finding]:
    """A queue that was declared is there until it is deleted."""
    for queue in book.trace.queues.values():
        if queue.missing:
            why = f"the queue {queue.name!r} was declared, not deleted, and is not there"
            yield Finding("DeclaredIsThere", f"{why}: {queue.missing}")


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
            continue
        if message.commit is not None and any(d.at < message.commit.at for d in deliveries):
            why = f"message {message.number} comes out of {queue.name!r} before it is committed"
            yield Finding("NothingBeforeCommit", why)
        if not queue.blurred:
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
        if not _may_be_refused(book, message):
            why = f"message {message.number} is nacked, and no queue of it was full or failed"
            yield Finding("NackOnlyWithCause", why)


def _may_be_refused(book: _Book, message: Publish) -> bool:
    """Tell whether a queue may have been full, failed, or deleted, that a message may have got to.

    As far as a client knows, a queue may be full if as many other messages may be in it.
    """
    for queue, life in reached(book.trace, message, surely=False):
        deleted = life.deleted is not None and life.deleted.at < message.settled
        if queue.crashed or deleted or (life.refuses and _may_be_full(book, message, queue, life)):
            return True
    return False


def _may_be_full(book: _Book, message: Publish, queue: Queue, life: Life) -> bool:
    said_before = (one for one in book.trace.publishes if one.said.at < message.settled)
    rivals = (one for one in said_before if one is not message and may_reach(one, queue, life))
    return sum(1 for _ in rivals) >= (life.limit or 0)


def _overdue(book: _Book) -> Iterator[Finding]:
    """What was published is settled, if the channel stays open."""
    numbers = [message.number for message in book.trace.publishes if message.overdue]
    if numbers:
        why = f"of {_list(numbers)} nothing is heard, and the channel has answered since"
        yield Finding("EveryPublishSettles", why)


def _list(numbers: list[int]) -> str:
    words = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
    return f"message {words}" if len(numbers) == 1 else f"messages {words}"


def _owed(book: _Book) -> Iterator[Finding]:
    """What consumers had still to hear of in the end."""
    yield from (Finding(*one) for one in book.trace.owed)


def _ignored(book: _Book) -> Iterator[Finding]:
    """A channel on which something is acked that was never delivered answers nothing more."""
    if any(offence.known < inf for offence in book.trace.offences):
        why = "a channel goes on after an ack of what was never delivered"
        yield Finding("UnknownTagClosesChannel", why)


def _closed(book: _Book) -> Iterator[Finding]:
    """The broker closes a channel or connection only if its client gave a cause.

    A commit fails because a message of it was refused.
    """
    for close in book.trace.closes:
        if close.expected:
            continue
        if close.commit is not None and close.code == _PRECONDITION_FAILED:
            if not _may_fail(book, close.commit):
                why = f"a commit fails on {close.where}, and no queue of it was full or failed"
                yield Finding("CommitFailsOnlyWithCause", why)
        else:
            why = f"{close.where} is closed with {close.code} {close.text!r}, without a cause"
            yield Finding("ClosedWithCause", why)


def _may_fail(book: _Book, commit: Said) -> bool:
    """Tell whether a message of a commit may have been refused."""
    batch = [message for message in book.trace.publishes if message.commit is commit]
    blurred = any(queue.blurred for queue in book.trace.queues.values())
    return blurred or any(_may_be_refused(book, message) for message in batch)


#: The rules of a run that has come to its end, in the order in which findings are told, and those
#: of any run: of one that was broken off it is not known what was in its queues.
_AT_THE_END = (_lost, _hidden, _overtaken, _vanished, _shared, _overfull, _repeated)
_ANYWAY = (
    _strange,
    _misplaced,
    _expired,
    _disordered,
    _mandatory,
    _nacked,
    _overdue,
    _owed,
    _ignored,
    _closed,
)


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
    return next(unconsumed(trace), None) is not None


def unconsumed(trace: Trace) -> Iterator[tuple[Publish, Queue, Life]]:
    """Yield what must be with a queue, ready or handed out, if nothing is lost."""
    yield from _losses(_Book(trace))


def delayed(trace: Trace) -> bool:
    """Tell whether what is missing may be on its way back, from a crash or a broken connection."""
    waits = {d.queue for d in trace.deliveries if d.source.session in trace.broken}
    waits |= {s.queue for s in trace.subscriptions if s.said.session in trace.broken}
    waits |= {g.queue for g in trace.gets if g.said.session in trace.broken}
    return any(q.crashed or q.name in waits for _, q, _ in unconsumed(trace))
