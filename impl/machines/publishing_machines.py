"""A channel as the broker holds it: the spec's machines for one publishing channel.

`Channel` numbers, waits and tells; `Casts` says what is on its way to the queues, and which deaths
the channel has not heard of.  Both know messages by number only.  What a number stands for is kept
beside them, and thrown away as they forget it.

**Message ids.**  In the specification a message belongs to its channel and is numbered there, so
that one element serves as its sequence number and as the message's name everywhere.  Here both are
integers.  The line is drawn here: the `Channel` is given *sequence numbers*, from 1 on each
channel, and everything beyond it, `Casts`, `QueueProcess` and `Store`, is given *message ids*,
which the broker takes from one counter.  Both increase in the order of publishing, so "the oldest
first", which the machines say as `min`, means the same in either.  The table between them is kept
by the queue that has to answer (`HostedQueue.senders`), for as long as it has to.  A message
published outside confirm mode has an id and no sequence number.

A queue is named to the machines by a key of its own, not by the name it was declared with: a queue
that is deleted and declared again is another queue, and the death of the old one is not news of
the new one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, Protocol, TypeVar

from ackproof.impl.wire.content import Message
from ackproof.lang import Event, Option
from ackproof.spec.channel import Channel
from ackproof.spec.network import Casts
from ackproof.spec.sorts import Msg, Replica, TxMode
from ackproof.spec.transaction import Transaction

__all__ = ["Cast", "KeyedQueue", "Place", "PublishingMachines", "Tell"]

#: Called with what the publisher is told, and the message that is being published, if one is.
Tell = Callable[[Event, Message | None], None]


class KeyedQueue(Protocol):
    """A queue, as far as a channel has to know of it.

    Attributes:
        key: names the queue's process to the spec's machines.
    """

    key: Replica


#: The queues that the channels of a broker publish to and consume from.
Q = TypeVar("Q", bound=KeyedQueue)


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


class PublishingMachines(Generic[Q]):
    """The machines of one channel, for queues of some class.

    Attributes:
        machine: the spec's channel.
        casts: what is on its way to the queues, and what comes back from them.
        transaction: the spec's transaction.
        batch: what it keeps: the contents and the queues they go to, by number.
        contents: those of the messages that are on their way: by queue, by message id.
        watching: the queues whose deaths this channel will hear of (A5.7).
        publishing: the message of the publish that is being processed.
        place: where it is; None for one that no client has opened.
        overhear: called with what the publisher is told, before it is told, if somebody is to know.
    """

    def __init__(self, tell: Tell, place: Place | None = None) -> None:
        self._tell = tell
        self.place = place
        self.overhear: Callable[[Event], None] | None = None
        self.machine = Channel(emit=self._emit)
        self.casts = Casts()
        self.transaction = Transaction(emit=self._emit)
        self.batch: dict[Msg, tuple[Message, list[Q]]] = {}
        self.contents: dict[Replica, dict[Msg, Cast]] = {}
        self.watching: dict[Q, None] = {}
        self.publishing: Message | None = None

    def in_transaction(self) -> bool:
        """Tell whether what comes in waits for a commit (A13.1, A13.2)."""
        return self.transaction.mode == TxMode.OPEN

    def _emit(self, event: Event) -> None:
        if self.overhear is not None:
            self.overhear(event)
        self._tell(event, self.publishing)

    def carry(self, msg: Msg, cast: Cast, queue: Q) -> None:
        """Keep the content of a message that was cast to a queue."""
        contents = self.contents.get(queue.key)
        if contents is None:
            contents = self.contents[queue.key] = {}
        contents[msg] = cast

    def arrived(self, msg: Msg, queue: Q) -> Cast:
        """Hand over the content of a message that reached its queue."""
        return self.contents[queue.key].pop(msg)

    def unwatch(self, queue: Q) -> None:
        """Monitor a queue no more; the queue knows it already."""
        self.watching.pop(queue, None)
        if not self.contents.get(queue.key):
            self.contents.pop(queue.key, None)
