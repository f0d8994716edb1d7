"""The steps by which messages arrive at queues.

A message that arrives goes into its queue, or is refused, or a consumer that waits takes it past
the queue: these are `deliver` and `hand_on` of the specification.  Which of the two, the broker
says: it has a consumer take what one can take.

What consumers can take from a queue with a limit they take before the next message arrives, as
RabbitMQ hands it out; and what has expired goes before, and after.  A time of 0 means now or never:
a message is handed to a consumer that waits, or expires (B4.1).
"""

from __future__ import annotations

from ackproof.impl.machines.channels import HostedConsumer, PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue
from ackproof.impl.steps.answers import Answers
from ackproof.impl.steps.contents import Contents
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.mirrors import Mirrors
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.serving import Serving
from ackproof.impl.steps.x_death import Cause
from ackproof.lang import require
from ackproof.spec.sorts import Msg

__all__ = ["Arrivals"]


class Arrivals(Part):
    """Messages come to queues from channels, and their time begins (B1-B5)."""

    def __init__(
        self,
        context: Context,
        contents: Contents,
        answers: Answers,
        serving: Serving,
        mirrors: Mirrors,
    ) -> None:
        super().__init__(context)
        self.contents = contents
        self.answers = answers
        self.serving = serving
        self.mirrors = mirrors

    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The oldest message on its way to a process arrives, if that is on this side (O2)."""
        require(not self.system.apart(queue.key))
        if isinstance(queue, HostedMirror) and not queue.machine.led():
            self.mirrors.deliver_to_mirror(channel, queue)
        else:
            self.deliver_to_queue(channel, queue)

    @observed
    def deliver_to_queue(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A message arrives at a queue, and what is too much goes (B1, O2)."""
        msg = channel.casts.next_for(queue.key)
        require(msg is not None and queue.running)
        assert msg is not None
        if queue.expiries:
            self.contents.expire(queue)
        if queue.limit.exists:
            self._serve_all(queue)
            with self.serving.shortened(queue, [msg], new=True):
                self.arrive(channel, queue, msg)
        else:
            self.arrive(channel, queue, msg)
        if queue.expiries:
            self._attend(queue, msg)
        if not channel.machine.open and channel.casts.next_for(queue.key) is None:
            self.answers.unwatch(channel, queue)

    def _serve_all(self, queue: HostedQueue) -> None:
        """Consumers get what they can take, and nothing that has expired."""
        while queue.machine.ready and self.serving.next_consumer(queue) is not None:
            self.serving.serve_head(queue)
            if queue.expiries:
                self.contents.expire(queue)

    def _attend(self, queue: HostedQueue, msg: Msg) -> None:
        """A message that has no time goes to a waiting consumer, or expires (B4.1)."""
        urgent = queue.lifetime(content_of(msg)) == 0 and queue.machine.head() == msg
        if urgent and self.serving.next_consumer(queue) is not None:
            self.serving.serve_head(queue)
        self.contents.expire(queue)

    @observed
    def arrive(self, channel: PublishingChannel, queue: HostedQueue, msg: Msg) -> None:
        """A queue takes a message in, or refuses it, or a consumer takes it (B1, B3.1, B5.4)."""
        machine = queue.machine
        again = queue.membership is not None and machine.recognises(msg)
        full = queue.limit.exists and not again and machine.refuses()
        consumer = self._taker(queue) if queue.consumers and not (again or full) else None
        forced = self.context.faults is not None and self.context.faults.refuses(msg)
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
            self.contents.give_up(queue, content_of(msg), Cause.MAXLEN)
        if not queue.has(msg):
            machine.delivered.discard(msg)  # which a mirror that was promoted had noted of it
        self.contents.tell(queue, msg)
        if self.context.faults is not None and not forced:
            self.context.faults.accepted(msg, queue)

    def _taker(self, queue: HostedQueue) -> HostedConsumer | None:
        """Return the consumer that takes a message as it arrives, if one does (B3.1)."""
        if queue.machine.ready:
            return None
        consumer = self.serving.next_consumer(queue)
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
        self.contents.keep(queue, msg)
        lifetime = queue.lifetime(content_of(msg))
        if lifetime is not None:
            self.timers.begin(queue, msg, lifetime)
            self.timers.watch(queue)
        if queue.limit.exists and msg in queue.machine.ready:
            queue.limit.enters(content_of(msg))
