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
from typing import TYPE_CHECKING, NamedTuple

from ackproof.impl.content import Message
from ackproof.spec.channel import Channel
from ackproof.spec.lang import Event, Option
from ackproof.spec.network import Network
from ackproof.spec.sorts import Msg, Replica

if TYPE_CHECKING:
    from ackproof.impl.hosted import HostedQueue

__all__ = ["Cast", "PublishingChannel", "Tell"]

#: Called with what the publisher is told, and the message that is being published, if one is.
Tell = Callable[[Event, Message | None], None]


class Cast(NamedTuple):
    """A message on its way to a queue, and the number it is to be confirmed by, if any."""

    message: Message
    seq: Option[Msg]


class PublishingChannel:
    """The machines of one channel.

    Attributes:
        machine: the spec's channel.
        network: the spec's network, as this channel sees it.
        casts: what the network carries: by queue, by message id.
        watching: the queues whose deaths this channel will hear of (A5.7).
        publishing: the message of the publish that is being processed.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.machine = Channel(emit=self._emit)
        self.network = Network()
        self.casts: dict[Replica, dict[Msg, Cast]] = {}
        self.watching: set[HostedQueue] = set()
        self.publishing: Message | None = None

    def _emit(self, event: Event) -> None:
        self._tell(event, self.publishing)

    def carry(self, msg: Msg, cast: Cast, queue: HostedQueue) -> None:
        """Keep the content of a message that was cast to a queue."""
        self.casts.setdefault(queue.key, {})[msg] = cast

    def arrived(self, msg: Msg, queue: HostedQueue) -> Cast:
        """Hand over the content of a message that reached its queue."""
        return self.casts[queue.key].pop(msg)

    def watch(self, queue: HostedQueue) -> None:
        """Monitor a queue (A5.7)."""
        if queue not in self.watching:
            self.watching.add(queue)
            queue.watchers[self] = None

    def unwatch(self, queue: HostedQueue) -> None:
        """Monitor a queue no more."""
        self.watching.discard(queue)
        queue.watchers.pop(self, None)
        if not self.casts.get(queue.key):
            self.casts.pop(queue.key, None)
