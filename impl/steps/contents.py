"""What becomes of a message in its queue, when an action of the system has been taken.

The journal, the times and the limit of the queue have to know, and its mirrors.  Before a message
leaves that will not be delivered, its dead letter is published.
"""

from __future__ import annotations

from collections.abc import Callable

from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.x_death import Cause
from ackproof.impl.wire.content import Message
from ackproof.spec.sorts import Msg

__all__ = ["Contents"]


def _nowhere(_: HostedQueue, __: Message, ___: Cause) -> None:
    """There is no place for dead letters."""


class Contents(Part):
    """The messages in queues.

    Attributes:
        publish_dead_letter: called with a message whose dead letter its queue wants published.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.publish_dead_letter: Callable[[HostedQueue, Message, Cause], None] = _nowhere

    def give_up(self, queue: HostedQueue, message: Message, cause: Cause) -> None:
        """A message will not be delivered from a queue, and leaves it, or does not enter it.

        Its dead letter is published just before it goes, as RabbitMQ does (B4.4), and does not
        cross a partition (A12.7).
        """
        if queue.dead_letter_exchange is not None and not self.system.apart(queue.key):
            self.publish_dead_letter(queue, message, cause)

    def let_go(self, queue: HostedQueue, msg: Msg) -> None:
        """The head of a queue leaves it unseen: it expires, or is purged (B4.3, B8.4)."""
        self.system.drop(msg, queue.key)
        self.drop(queue, msg)

    def expire(self, queue: HostedQueue) -> None:
        """Drop what has expired, from the head of a queue, if home sees that (B4.2, B4.3)."""
        while (head := self.timers.expired_head(queue)) is not None:
            if self.system.apart(queue.key):
                return
            self.give_up(queue, content_of(head), Cause.EXPIRED)
            self.let_go(queue, head)

    @observed
    def drop(self, queue: HostedQueue, msg: Msg) -> None:
        """A ready message has left its queue unseen, and makes room (B4.3, C4.4)."""
        self.gone(queue, msg)
        if queue.limit.exists:
            queue.limit.leaves(content_of(msg))
        self.timers.watch(queue)

    @observed
    def take(self, queue: HostedQueue, msg: Msg) -> None:
        """A client has got the head of a queue, and will acknowledge it (B3.2, B5.1)."""
        if queue.limit.exists:
            queue.limit.leaves(content_of(msg))
        self.timers.watch(queue)

    @observed
    def acknowledge(self, queue: HostedQueue, msg: Msg) -> None:
        """A client was done with a message: it is consumed (B7.1, C4.4)."""
        self.gone(queue, msg)

    @observed
    def requeue(self, queue: HostedQueue, msg: Msg) -> None:
        """A message has come back to its place, counts again, and its time has gone on (B7.3)."""
        if queue.limit.exists:
            queue.limit.enters(content_of(msg))
        self.timers.watch(queue)

    def keep(self, queue: HostedQueue, msg: Msg) -> None:
        """A process has one message more, which the disk may have to be given (C2.1)."""
        queue.keep(msg)
        if queue.buffered:
            self.journal.buffered(queue)

    def gone(self, queue: HostedQueue, msg: Msg) -> None:
        """A message has left its queue: the disk has to know, if it knows of the message."""
        if queue.part_with(msg):
            self.journal.removed(queue, msg)
        self.tell(queue, msg)

    def tell(self, queue: HostedQueue, msg: Msg) -> None:
        """A master has told its mirrors what became of a message (D2.1)."""
        if queue.membership is None:
            return
        sender = self.channels.get(Msg.owner(msg))
        multicast = self.system.multicast
        for mirror in queue.membership.mirrors:
            if msg in multicast.removals[mirror.key]:
                mirror.departing.append(msg)
            if sender is not None and not sender.machine.open:
                mirror.await_end(sender)
