"""The steps by which clients settle deliveries and consumers end, as the broker takes them.

What a client settles are actions of the specification.  What they did to each message, its queue's
journal, timers and limit have to know; so it is looked up before which messages these are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.consuming_machines import Loan
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.delivering import DeliveringSteps
from ackproof.impl.steps.observing import observed
from ackproof.lang import Option
from ackproof.spec.sorts import ChannelId, Tag
from ackproof.spec.wire import ChannelClose, RecoverOk

__all__ = ["AcknowledgingSteps"]


@dataclass
class AcknowledgingSteps(DeliveringSteps):
    """Acks, rejects, what comes back, and what becomes of it all at the end (F1, F3).

    Attributes:
        consuming: channels as their consumers know them, by what the machines call them.
    """

    consuming: dict[ChannelId, ConsumingChannel] = field(default_factory=dict)

    # -- settling -------------------------------------------------------------------------------

    @observed
    def consumer_acks(self, channel: ConsumingChannel, tag: Option[Tag], multiple: bool) -> None:
        """A client is done with one delivery, with several, or with all (F1.2)."""
        loans = self._settled(channel, tag, multiple)
        self.system.consumer_acks(channel.id, tag, multiple)
        for queue, msg in loans:
            self.acknowledge(queue, msg)
        self.wake(channel)

    @observed
    def consumer_rejects(
        self, channel: ConsumingChannel, tag: Option[Tag], multiple: bool, requeue: bool
    ) -> None:
        """A client does not want deliveries; they come back to their queues, or not (F1.4)."""
        loans = self._settled(channel, tag, multiple)
        with self._returned(loans if requeue else []):
            self.system.consumer_rejects(channel.id, tag, multiple, requeue)
        for queue, msg in [] if requeue else loans:
            self.acknowledge(queue, msg)
        self.wake(channel)

    def _settled(
        self, channel: ConsumingChannel, tag: Option[Tag], multiple: bool
    ) -> list[Loan[HostedQueue]]:
        """Return what a client settles now; in a transaction that waits for the commit (A13.2)."""
        return [] if channel.collects() else channel.loans(channel.machine.named(tag, multiple))

    @observed
    def recover(self, channel: ConsumingChannel) -> None:
        """A client has everything requeued that it has not settled (F1.5)."""
        machine = channel.machine
        if not machine.unacked:  # nothing happens, and the client is told so
            machine.emit(RecoverOk(channel.id))
            return
        with self._returned(channel.loans(machine.unacked)):
            self.system.recover(channel.id)
        self.wake(channel)

    @contextmanager
    def _returned(self, loans: Iterable[Loan[HostedQueue]]) -> Iterator[None]:
        """Messages return to their places in a step (B7.2, B7.3)."""
        yield
        for queue, msg in loans:
            self.requeue(queue, msg)

    # -- limits ---------------------------------------------------------------------------------

    def limit(self, channel: ConsumingChannel, prefetch: int, *, shared: bool) -> None:
        """Set a limit: for the channel, or for the consumers that start from now on (F2.2).

        The specification has limits as constants, since an instance has them from its beginning.
        Setting the second lifts the first.
        """
        channel.machine.shared_prefetch = prefetch if shared else 0
        if not shared:
            channel.prefetch = prefetch
        self.wake(channel)

    def wake(self, channel: ConsumingChannel) -> None:
        """The consumers of a channel may have room again (F2.4)."""
        for consumer in list(channel.parked):
            consumer.queue.consumers.wake(consumer)
            self._offer_service(consumer.queue)
        channel.parked.clear()

    # -- ends -----------------------------------------------------------------------------------

    @observed
    def close(self, channel: PublishingChannel) -> None:
        """A channel closes, or its connection breaks; the queues go on (A14, F3.2)."""
        with self._closing(channel):
            self.system.close(channel.id)

    @contextmanager
    def _closing(self, channel: PublishingChannel) -> Iterator[None]:
        """A channel closes in a step: what it has not settled returns to its queues (B7.5)."""
        consuming = self.consuming.get(channel.id)
        loans = [] if consuming is None else consuming.unsettled()
        with self._returned(loans):
            yield
        if consuming is not None:
            del self.consuming[channel.id]
            self._end_consumers(consuming)
        self._closed(channel)

    def _end_consumers(self, consuming: ConsumingChannel) -> None:
        for queue in consuming.lenders.values():
            queue.borrowers.pop(consuming, None)
        consuming.lenders.clear()
        for consumer in list(consuming.consumers.values()):
            self._leave(consumer)

    def _complaining(self, channel: PublishingChannel, step: Callable[[ChannelId], None]) -> None:
        """Take a step in which the system closes a channel, and says why (A2.1, A13.5)."""
        with self._closing(channel):
            step(channel.id)
        complaints, self.complaints[:] = list(self.complaints), []
        for complaint in complaints:
            assert isinstance(complaint, ChannelClose)
            channel.hear(complaint)

    def _end(self, queue: HostedQueue) -> None:
        """A process has ended, and its consumers with it; what it handed out is nobody's (F3.3)."""
        super()._end(queue)
        for channel in queue.borrowers:
            channel.lenders.pop(queue.key, None)
        queue.borrowers.clear()
        consumers = list(queue.consumers)
        queue.consumers.clear()
        for consumer in consumers:
            consumer.channel.forget(consumer)
