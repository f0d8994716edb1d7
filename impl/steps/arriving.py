"""The steps by which messages arrive at queues, as the broker takes them.

A message that arrives goes into its queue, or is refused, or a consumer that waits takes it past
the queue: these are `deliver` and `hand_on` of the specification.  Which of the two, the broker
says: it has a consumer take what one can take.

What consumers can take from a queue with a limit they take before the next message arrives, as
RabbitMQ hands it out; and what has expired goes before, and after.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackproof.impl.machines.channels import HostedConsumer, PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.expiring import ExpiringSteps
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.x_death import Cause
from ackproof.lang import require
from ackproof.spec.sorts import Msg

__all__ = ["ArrivingSteps"]


@dataclass
class ArrivingSteps(ExpiringSteps):
    """Messages come to queues from channels (B1-B5)."""

    @observed
    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The oldest message on its way to a queue arrives, and what is too much goes (B1, O2)."""
        msg = channel.casts.next_for(queue.key)
        require(msg is not None and queue.running)
        assert msg is not None
        if queue.expiries:
            self._expire(queue)
        if queue.limit.exists:
            self._serve_all(queue)
            with self._shortened(queue, [msg], new=True):
                self.arrive(channel, queue, msg)
        else:
            self.arrive(channel, queue, msg)
        if queue.expiries:
            self._attend(queue, msg)
        if channel.casts.next_for(queue.key) is not None:
            self._offer(Action.DELIVER, channel, queue)
        elif not channel.machine.open:
            self._unwatch(channel, queue)

    def _serve_all(self, queue: HostedQueue) -> None:
        """Consumers get what they can take, and nothing that has expired."""
        while queue.machine.ready and self._next(queue) is not None:
            self.serve_head(queue)
            if queue.expiries:
                self._expire(queue)

    def _attend(self, queue: HostedQueue, msg: Msg) -> None:
        """A message that has no time goes to a waiting consumer, or expires (B4.1)."""
        urgent = queue.lifetime(content_of(msg)) == 0 and queue.machine.head() == msg
        if urgent and self._next(queue) is not None:
            self.serve_head(queue)
        self._expire(queue)

    @observed
    def arrive(self, channel: PublishingChannel, queue: HostedQueue, msg: Msg) -> None:
        """A queue takes a message in, or refuses it, or a consumer takes it (B1, B3.1, B5.4)."""
        machine = queue.machine
        again = queue.membership is not None and machine.recognises(msg)
        full = queue.limit.exists and not again and machine.refuses()
        consumer = self._taker(queue) if queue.consumers and not (again or full) else None
        forced = self.faults is not None and self.faults.refuses(msg)
        if forced:
            with queue.limit.reached():
                self.system.deliver(msg, queue.key)
        elif consumer is not None:
            self.hand_on(msg, queue, consumer)
        else:
            self.system.deliver(msg, queue.key)
        if queue.has(msg) and not again:
            self._entered(queue, msg)
        elif full and queue.limit.dead_letters_refused:
            self.give_up(queue, content_of(msg), Cause.MAXLEN)
        if not queue.has(msg):
            machine.delivered.discard(msg)  # which a mirror that was promoted had noted of it
        self._answers(queue)
        self._tell(queue, msg)
        if self.faults is not None and not forced:
            self.faults.accepted(msg, queue)

    def _taker(self, queue: HostedQueue) -> HostedConsumer | None:
        """Return the consumer that takes a message as it arrives, if one does (B3.1)."""
        if queue.machine.ready:
            return None
        consumer = self._next(queue)
        takes = consumer is not None and (consumer.machine.no_ack or queue.machine.roomless())
        return consumer if takes else None

    @observed
    def hand_on(self, msg: Msg, queue: HostedQueue, consumer: HostedConsumer) -> None:
        """A message arrives at an empty queue where a consumer waits that has room for it (B3.1).

        One without acks takes it past the store, for one with acks it is stored (B3.2, B3.3).
        """
        channel = consumer.channel
        channel.shown = content_of(msg)
        self.system.hand_on(msg, queue.key, consumer.key)
        channel.shown = None
        if not consumer.machine.no_ack:
            queue.lend_to(channel)
        queue.consumers.served(consumer)

    def _entered(self, queue: HostedQueue, msg: Msg) -> None:
        """A message is in a queue: the disk has to know, its time begins, and it counts."""
        self._keep(queue, msg)
        lifetime = queue.lifetime(content_of(msg))
        if lifetime is not None:
            queue.expiries[msg] = self.clock() + lifetime
            self._watch(queue)
        if msg in queue.machine.ready:
            if queue.limit.exists:
                queue.limit.enters(content_of(msg))
            if queue.consumers and queue.consumers.next() is not None:
                self._offer(Action.SERVE, None, queue)

    def _keep(self, queue: HostedQueue, msg: Msg) -> None:
        """A process has one message more, which the disk may have to be given (C2.1)."""
        queue.keep(msg)
        if queue.buffered:
            self.journal.buffered(queue)
