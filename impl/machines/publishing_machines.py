"""A channel as the broker holds it: the spec's machines for one publishing channel.

`Channel` numbers, waits and tells; `Casts` says what is on its way to the queues, and which deaths
the channel has not heard of; `Transaction` keeps what waits for a commit.  They are those of the
broker's one system (`hosted_system`).  Beside them is kept where the channel is, and whom to tell.

**Numbers.**  A message is its channel with its number there (`publication`), whether or not
somebody waits for its confirm.  A client counts from 1, beginning with the first message that it
has published in confirm mode (A4.3): to it, a message is a *tag*.

A queue is named to the machines by a key of its own, not by the name it was declared with: a queue
that is deleted and declared again is another queue, and the death of the old one is not news of
the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, NamedTuple, Protocol, TypeVar, cast

from ackproof.impl.errors import HardError
from ackproof.impl.machines.hosted_system import HostedSystem, leave
from ackproof.impl.machines.monitoring_casts import MonitoringCasts
from ackproof.impl.machines.publication import channel_id, content_of, published
from ackproof.impl.wire.content import Message
from ackproof.lang import Event
from ackproof.model.native.families import growing
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import ChannelId, Msg, Replica, TxMode
from ackproof.spec.wire import ChannelClose, Return

__all__ = ["KeyedQueue", "Place", "PublishingMachines", "Tell"]

#: Called with what the publisher is told, and the message that is being published, if one is.
Tell = Callable[[Event, Message | None], None]


class KeyedQueue(Protocol):
    """A queue, as far as a channel has to know of it.

    Attributes:
        key: names the queue's process to the spec's machines.
        machine: that process.
    """

    key: Replica
    machine: QueueProcess


#: The queues that the channels of a broker publish to and consume from.
Q = TypeVar("Q", bound=KeyedQueue)


class Breakable(Protocol):
    """A connection, as far as a channel has to know of it."""

    number: int

    def fail(self, error: HardError) -> None:
        """Close the connection and say why."""

    def cancel_consumer(self, channel: int, tag: str) -> None:
        """Cancel a consumer, and tell the client if it wants to hear of that (F3.3)."""

    def sever(self, *, written: bool) -> None:
        """Break the connection, after what was said has been written, or before."""


class Place(NamedTuple):
    """Where a channel is: its connection, and its number there."""

    connection: Breakable
    number: int


class PublishingMachines(Generic[Q]):
    """The machines of one channel, for queues of some class.

    Args:
        system: to which they belong.
        number: of the channel among all that there ever were, from 1.
        tell: called with what the publisher is told.
        place: where the channel is.

    Attributes:
        system: as it was given.
        id: what the machines call the channel.
        machine: the spec's channel.
        casts: what is on its way to the queues, and what comes back from them.
        transaction: the spec's transaction.
        batch: what it keeps: the queues that each message goes to.
        first: the message that its client counts as the first one.
        watching: the queues whose deaths this channel will hear of (A5.7).
        leaving: the mirrors that have still to forget it.
        publishing: the message of the publish that is being processed.
        place: where it is; None for one that no client has opened.
        overhear: called with what the publisher is told, before it is told, if somebody is to know.
    """

    def __init__(
        self, system: HostedSystem, number: int, tell: Tell, place: Place | None = None
    ) -> None:
        self._tell = tell
        self.system = system
        self.place = place
        self.overhear: Callable[[Event], None] | None = None
        self.id: ChannelId = channel_id(number)
        self.machine = growing(system.channels).add(self.id, self._emit)
        self.transaction = growing(system.transactions).add(self.id, self._emit)
        self.casts = cast(MonitoringCasts, system.casts[self.id])
        self.machine.next_seq = self.first = Msg.first(self.id)
        self.batch: dict[Msg, list[Q]] = {}
        self.watching: dict[Q, None] = {}
        self.leaving: dict[Q, None] = {}
        self.publishing: Message | None = None
        self._registering: Iterator[Msg] = iter(())

    def in_transaction(self) -> bool:
        """Tell whether what comes in waits for a commit (A13.1, A13.2)."""
        return self.transaction.mode == TxMode.OPEN

    def next(self, message: Message) -> Msg:
        """Return the message that is published next, which has this content."""
        assert self.machine.next_seq is not None
        waits = self.machine.confirming or self.in_transaction()
        return published(self.machine.next_seq, message, confirming=waits)

    def begin_counting(self) -> None:
        """The client counts what it publishes from now on, unless it has begun (A4.3)."""
        if not (self.machine.confirming or self.in_transaction()):
            assert self.machine.next_seq is not None
            self.first = self.machine.next_seq

    def tag(self, msg: Msg) -> int:
        """Return the number by which the client knows a message (A4.3)."""
        return cast(int, msg) - cast(int, self.first) + 1

    def forget(self) -> None:
        """The channel is closed, and nothing that was sent on it is on its way."""
        leave(self.system, self.id)

    @contextmanager
    def committing(self) -> Iterator[None]:
        """What is returned now is of the transaction, which registers its messages in order."""
        self._registering = iter(sorted(self.transaction.batch))
        try:
            yield
        finally:
            self._registering = iter(())

    def hear(self, complaint: ChannelClose) -> None:
        """The system has closed the channel, and says why (A2.1, A13.5)."""
        self._emit(complaint)

    def _emit(self, event: Event) -> None:
        if self.overhear is not None:
            self.overhear(event)
        returned = isinstance(event, Return) and self.publishing is None
        self._tell(event, self._first_unregistered() if returned else self.publishing)

    def _first_unregistered(self) -> Message | None:
        """Return the message that a commit returns, for it has registered those before it."""
        known = self.machine
        for msg in self._registering:
            if msg not in known.unconfirmed and msg not in known.confirmed:
                return content_of(msg)
        return None

    def unwatch(self, queue: Q) -> None:
        """Monitor a queue no more; the queue knows it already."""
        self.watching.pop(queue, None)
