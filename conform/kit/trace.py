"""The trace of a run: what a program has said and heard, and what can be known of when.

A client knows when it has said something, and from what it hears by when the broker has processed
it: an answer shows that all was processed that was said on the same channel up to the request.
Between the two lies an interval.  *Before* is therefore a partial order: of two things said on one
channel, the first is processed first; of two on different channels, the first is, if it was known
to be processed when the second was said.  What is not ordered by that may have happened either way.

Times are counted, not measured.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from ackproof.conform.events import Event
from ackproof.conform.kit.operations import Operation, Overflow

__all__ = ["Close", "Delivery", "Get", "Life", "Publish", "Queue", "Said", "Subscription", "Trace"]


@dataclass(eq=False, slots=True)
class Said:
    """Something that a client has said.

    Attributes:
        operation: what it was.
        session: number of the session, one opening of one channel.
        at: when it was said.
        known: when the client knew that it was processed; for ever later, if never.
    """

    operation: Operation
    session: int
    at: int
    known: float = inf

    def before(self, other: Said) -> bool:
        """Tell whether this was processed before the other, if the other was processed at all."""
        if self.session == other.session:
            return self.at < other.at
        return self.known < other.at


@dataclass(eq=False, slots=True)
class Life:
    """A queue from its declaration to its deletion; another one may have the same name later.

    Attributes:
        declared: what it begins with.
        binds: by what it was bound to the fanout exchange.
        deleted: what it ends with.
        owner: the name of the connection that it belongs to, if it is exclusive.
    """

    declared: Said
    binds: list[Said] = field(default_factory=list)
    deleted: Said | None = None
    owner: str = ""

    @property
    def limit(self) -> int | None:
        """Return how many messages may be ready in it."""
        return self.declared.operation.limit

    @property
    def refuses(self) -> bool:
        """Tell whether it refuses messages when it is full."""
        operation = self.declared.operation
        return operation.limit is not None and operation.overflow == Overflow.REJECT_PUBLISH

    @property
    def drops(self) -> bool:
        """Tell whether it drops messages when it is full."""
        return self.limit is not None and not self.refuses

    def parts(self) -> list[Said]:
        """Return what it is made of."""
        return [self.declared, *self.binds, *([self.deleted] if self.deleted else [])]


@dataclass(eq=False, slots=True)
class Queue:
    """All queues that had one name, one after the other.

    Attributes:
        blurred: it is not known which of them was there when, so nothing is concluded.
        crashed: its process has crashed, or its node.
        missing: it should have been there in the end, and was not: what the broker said.
        left: how many messages were ready in it in the end.
        shared: it belongs to a connection, and another one has got an answer.
        outlived: it belonged to a connection, and was there when that had ended.
    """

    name: str
    lives: list[Life] = field(default_factory=list)
    blurred: bool = False
    crashed: bool = False
    missing: str = ""
    left: int = 0
    shared: bool = False
    outlived: bool = False

    @property
    def alive(self) -> Life | None:
        """Return the one that was declared last, unless somebody has deleted it."""
        return self.lives[-1] if self.lives and self.lives[-1].deleted is None else None


@dataclass(eq=False, slots=True)
class Publish:
    """A message.

    Attributes:
        number: which message of the run it is.
        said: by what it was published.
        content: the same as an event, with its digest.
        mode: `none`, `confirm` or `tx`.
        commit: the commit that it is in.
        fate: `acked` or `nacked`, commits included.
        settled: when it was.
        returned: it came back.
        overdue: its channel has answered since, and nothing came for long.
    """

    number: int
    said: Said
    content: Event
    mode: str
    commit: Said | None = None
    fate: str = ""
    settled: float = inf
    returned: bool = False
    overdue: bool = False

    @property
    def routed(self) -> Said | None:
        """Return what routes it at the latest; None if nothing does."""
        return self.commit if self.mode == "tx" else self.said


@dataclass(eq=False, slots=True)
class Subscription:
    """A consumer.

    Attributes:
        cancelled: it has ended, or was asked to.
    """

    queue: str
    said: Said
    no_ack: bool
    cancelled: bool = False


@dataclass(eq=False, slots=True)
class Get:
    """A basic.get, and what came of it: `""` while nothing has, `ok`, or `empty`."""

    queue: str
    said: Said
    no_ack: bool
    answer: str = ""
    at: float = inf


@dataclass(eq=False, slots=True)
class Delivery:
    """A message that was handed out.

    Attributes:
        content: what came.
        number: the message that it says it is; None if none of this run.
        queue: the queue that it is from.
        source: the basic.consume or basic.get that it came for.
        at: when it came.
        tag: its delivery tag.
        no_ack: it needs no ack.
        settled: by what the client has settled it; None if it has not, or took it back.
        final: so that the queue is to keep it no longer.
        effective: what makes that valid: the same, or a commit; None in an open transaction.
    """

    content: Event
    number: int | None
    queue: str
    source: Said
    at: int
    tag: int
    no_ack: bool
    settled: Said | None = None
    final: bool = False
    effective: Said | None = None

    def perhaps_consumed(self) -> bool:
        """Tell whether the queue may think that it need not keep the message."""
        return self.no_ack or (self.final and self.effective is not None)

    def surely_consumed(self) -> bool:
        """Tell whether the queue must think so."""
        return self.no_ack or (
            self.final and self.effective is not None and self.effective.known < inf
        )


@dataclass(eq=False, slots=True)
class Close:
    """A channel or connection that the broker has closed.

    Attributes:
        where: which one.
        code: the reply code.
        text: the reply text.
        expected: the client gave a cause.
        commit: the channel was to be answered this commit.
    """

    where: str
    code: int
    text: str
    expected: bool
    commit: Said | None = None


@dataclass(eq=False, slots=True)
class Trace:
    """All that a run has shown, but for what judges of channels have found already."""

    queues: dict[str, Queue] = field(default_factory=dict)
    publishes: list[Publish] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    subscriptions: list[Subscription] = field(default_factory=list)
    gets: list[Get] = field(default_factory=list)
    closes: list[Close] = field(default_factory=list)
    offences: list[Said] = field(default_factory=list)  # acks of what was never delivered
    broken: set[int] = field(default_factory=set)  # sessions whose connection has broken
    owed: list[tuple[str, str]] = field(default_factory=list)  # rules, with what did not come
    now: int = 0

    def tick(self) -> int:
        """Return the time, which goes on."""
        self.now += 1
        return self.now

    def queue(self, name: str) -> Queue:
        """Return the queues of a name."""
        return self.queues.setdefault(name, Queue(name))
