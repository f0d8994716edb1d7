"""A channel as the broker holds it: the spec's machines for one publishing channel.

`Channel` numbers, waits and tells; `Network` says what is on its way to the queues, and which
deaths the channel has not heard of.  Both know messages by number only.  What a number stands for
is kept beside them, and thrown away as they forget it.

**Message ids.**  The specification has one publishing channel, so that one number serves as its
sequence number and as the message's name everywhere.  A broker has many channels, and each
numbers from 1.  The line is drawn here: the `Channel` is given *sequence numbers*, and everything
beyond it, `Network`, `QueueProcess` and `Store`, is given *message ids*, which the broker takes
from one counter.  Both increase in the order of publishing, so "the oldest first", which the
machines say as `min`, means the same in either.  The table between them is kept by the queue that
has to answer (`HostedQueue.senders`), for as long as it has to.  A message published outside
confirm mode has an id and no sequence number.

A queue is named to the machines by a key of its own, not by the name it was declared with: a queue
that is deleted and declared again is another queue, and the death of the old one is not news of
the new one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ackproof.impl.wire.content import Message
from ackproof.spec.channel import Channel
from ackproof.spec.lang import Event, Option
from ackproof.spec.network import Network
from ackproof.spec.sorts import Msg, Replica, TxMode
from ackproof.spec.transaction import Transaction

if TYPE_CHECKING:
    from ackproof.impl.machines.hosted import HostedQueue
    from ackproof.impl.oracle.history import History

__all__ = ["Cast", "Place", "PublishingChannel", "Tell"]

#: Called with what the publisher is told, and the message that is being published, if one is.
Tell = Callable[[Event, Message | None], None]


class Breakable(Protocol):
    """A connection, as far as a channel has to know of it."""

    number: int

    def sever(self, *, written: bool) -> None:
        """Break the connection, after what was said has been written, or before."""


class Place(NamedTuple):
    """Where a channel is: its connection, and its number there."""

    connection: Breakable
    number: int


class Cast(NamedTuple):
    """A message on its way to a queue, and the number it is to be confirmed by, if any."""

    message: Message
    seq: Option[Msg]


class PublishingChannel:
    """The machines of one channel.

    Attributes:
        machine: the spec's channel.
        network: the spec's network, as this channel sees it.
        transaction: the spec's transaction.
        batch: what it keeps: the contents and the queues they go to, by number.
        casts: what the network carries: by queue, by message id.
        watching: the queues whose deaths this channel will hear of (A5.7).
        publishing: the message of the publish that is being processed.
        place: where it is; None for one that no client has opened.
        history: takes down what the publisher is told, if something is to.
    """

    def __init__(self, tell: Tell, place: Place | None = None) -> None:
        self._tell = tell
        self.place = place
        self.history: History | None = None
        self.machine = Channel(emit=self._emit)
        self.network = Network()
        self.transaction = Transaction(emit=self._emit)
        self.batch: dict[Msg, tuple[Message, list[HostedQueue]]] = {}
        self.casts: dict[Replica, dict[Msg, Cast]] = {}
        self.watching: dict[HostedQueue, None] = {}
        self.publishing: Message | None = None

    def in_transaction(self) -> bool:
        """Tell whether what comes in waits for a commit (A13.1, A13.2)."""
        return self.transaction.mode == TxMode.OPEN

    def _emit(self, event: Event) -> None:
        if self.history is not None:
            self.history.said(self, event)
        self._tell(event, self.publishing)

    def carry(self, msg: Msg, cast: Cast, queue: HostedQueue) -> None:
        """Keep the content of a message that was cast to a queue."""
        casts = self.casts.get(queue.key)
        if casts is None:
            casts = self.casts[queue.key] = {}
        casts[msg] = cast

    def arrived(self, msg: Msg, queue: HostedQueue) -> Cast:
        """Hand over the content of a message that reached its queue."""
        return self.casts[queue.key].pop(msg)

    def watch(self, queue: HostedQueue) -> None:
        """Monitor a queue (A5.7)."""
        if queue not in self.watching:
            self.watching[queue] = None
            queue.watchers[self] = None

    def unwatch(self, queue: HostedQueue) -> None:
        """Monitor a queue no more."""
        self.watching.pop(queue, None)
        queue.watchers.pop(self, None)
        if not self.casts.get(queue.key):
            self.casts.pop(queue.key, None)
