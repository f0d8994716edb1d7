"""Following: which message each confirm, return and delivery of a channel is about.

A client takes what it is told literally, and so does this: whether the broker may say it is for the
judge.  A message is known by its identity, the message-id with the digest of the body.  Of a
channel whose beginning is missing, no confirm can be told whose it is.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Protocol

from ackproof.conform.events import Event, Kind

__all__ = ["Facts", "Follower", "Identity"]

#: What a message is known by, wherever it comes up: message-id, and digest of the body.
Identity = tuple[str, str]

_NONE, _CONFIRM, _TX, _UNKNOWN = "none", "confirm", "tx", "unknown"


class Facts(Protocol):
    """Who is told what becomes of messages."""

    def published(self, message: Identity) -> None:
        """It was published."""

    def settled(self, message: Identity, ack: bool, seconds: float) -> None:
        """It was confirmed, or refused, so long after it was published."""

    def returned(self, message: Identity) -> None:
        """It came back."""

    def delivered(self, message: Identity, queue: str, marked: bool) -> None:
        """It was handed out; `marked` says perhaps not for the first time."""

    def frame(self, covered: int, ack: bool) -> None:
        """One confirm settled so many messages."""

    def window(self, size: int) -> None:
        """So many messages of one channel wait for their confirm."""


class Follower:
    """Follows one channel."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._rules: dict[str, Callable[[Event], None]] = {
            Kind.OPEN: lambda e: self._begin(_NONE),
            Kind.GAP: lambda e: self._begin(_UNKNOWN),
            Kind.SELECT: lambda e: self._select(_CONFIRM),
            Kind.TX_SELECT: lambda e: self._select(_TX),
            Kind.PUBLISH: self._publish,
            Kind.ACK: lambda e: self._settle(e, True),
            Kind.NACK: lambda e: self._settle(e, False),
            Kind.RETURN: lambda e: facts.returned((e.message, e.digest)),
            Kind.DELIVER: lambda e: self._deliver(e, self._queues.get(e.consumer, "")),
            Kind.GET_OK: lambda e: self._deliver(e, self._got()),
            Kind.GET_EMPTY: self._got_nothing,
            Kind.GET: lambda e: self._gets.append(e.queue),
            Kind.COMMIT: self._commit,
            Kind.COMMIT_OK: self._committed,
            Kind.ROLLBACK: lambda e: self._batch.clear(),
            Kind.CONSUME: self._start,
            Kind.CONSUME_OK: self._started,
        }
        self._begin(_UNKNOWN)

    def _begin(self, mode: str) -> None:
        self._mode = mode
        self._number = 0
        self._open: OrderedDict[int, tuple[Identity, float]] = OrderedDict()
        self._batch: list[tuple[Identity, float]] = []
        self._committing: deque[list[tuple[Identity, float]]] = deque()
        self._queues: dict[str, str] = {}
        self._nameless: deque[str] = deque()
        self._gets: deque[str] = deque()

    def take(self, event: Event) -> None:
        """Take the next event of the channel."""
        rule = self._rules.get(event.kind)
        if rule is not None:
            rule(event)

    def _select(self, mode: str) -> None:
        if self._mode == _NONE:
            self._mode = mode

    def _commit(self, event: Event) -> None:
        self._committing.append(self._batch)
        self._batch = []

    def _committed(self, event: Event) -> None:
        if self._committing:
            for what in self._committing.popleft():
                self._tell(what, event, True)

    def _got(self) -> str:
        return self._gets.popleft() if self._gets else ""

    def _got_nothing(self, event: Event) -> None:
        self._got()

    def _start(self, event: Event) -> None:
        if event.consumer:
            self._queues[event.consumer] = event.queue
        else:
            self._nameless.append(event.queue)

    def _started(self, event: Event) -> None:
        if event.consumer not in self._queues and self._nameless:
            self._queues[event.consumer] = self._nameless.popleft()

    def _publish(self, event: Event) -> None:
        message = event.message, event.digest
        self._facts.published(message)
        if self._mode == _CONFIRM:
            self._number += 1
            self._open[self._number] = message, event.time
            self._facts.window(len(self._open))
        elif self._mode == _TX:
            self._batch.append((message, event.time))

    def _settle(self, event: Event, ack: bool) -> None:
        covered = 0
        if event.multiple:
            while self._open and next(iter(self._open)) < event.tag:
                covered += 1
                self._tell(self._open.popitem(last=False)[1], event, ack)
        if event.tag in self._open:
            covered += 1
            self._tell(self._open.pop(event.tag), event, ack)
        self._facts.frame(covered, ack)

    def _tell(self, what: tuple[Identity, float], event: Event, ack: bool) -> None:
        message, time = what
        self._facts.settled(message, ack, event.time - time)

    def _deliver(self, event: Event, queue: str) -> None:
        self._facts.delivered((event.message, event.digest), queue, event.redelivered)
