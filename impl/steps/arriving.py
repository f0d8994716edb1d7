"""The steps by which messages arrive at queues, as the broker takes them.

A message that arrives goes into its queue, or is refused, or a consumer that waits takes it past
the queue: these are `deliver` and `hand_on` of the specification.  Which of the two, the broker
says: it has a consumer take what one can take.

At a mirror a message arrives twice: from the channel, and from the master, and what it does there
depends on which copy comes first: `deliver_to_mirror` and `master_tells` of the specification
(D2-D4).  The step `follow` takes `master_removes` of a message as soon as that is possible, and
else the next `master_tells`.

What consumers can take from a queue with a limit they take before the next message arrives, as
RabbitMQ hands it out; and what has expired goes before, and after.

Time is what a message may have none of, and what ends it later (B4).  It leaves by the
specification's step `drop`, so it is confirmed if it still had to be (B4.3).  A time of 0 means now
or never: a message is handed to a consumer that waits, or expires (B4.1).  A queue with `x-expires`
is deleted when nobody has used it for that long.

A publish with `immediate`, as it was before RabbitMQ 3.0, is for a consumer that can take it at
once, or for nobody (A6.6).  The cast to a queue becomes a call: the queue takes in what the channel
had sent before, serves its consumers, and says whether one of them has room.  A queue that declines
does not get the message.  If every queue declines, the message is returned as 313 NO_CONSUMERS and
confirmed after that, like one that has no queue at all; and that is how it is published then.  A
channel that consumes from several of the queues is asked for room by the first of them only: what
that queue gives it may leave no room for the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, fields

from ackproof.impl.machines.channels import ConsumingChannel, HostedConsumer, PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.transacting import TransactingSteps
from ackproof.impl.steps.x_death import Cause
from ackproof.impl.wire.content import Message
from ackproof.lang import NotEnabled, require
from ackproof.spec.sorts import Msg

__all__ = ["ArrivingSteps", "Declined"]


@dataclass(slots=True, eq=False)
class Declined(Message):
    """A message that no consumer could take at once: it is returned with a reason of its own."""


def _declined(message: Message) -> Declined:
    """Return a message as one that has to be returned."""
    values = {one.name: getattr(message, one.name) for one in fields(message)}
    return Declined(**values | {"mandatory": True})


@dataclass
class ArrivingSteps(TransactingSteps):
    """Messages come to queues from channels, and their time begins (B1-B5)."""

    def deliver(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """The oldest message on its way to a process arrives, if that is on this side (O2)."""
        require(not self.system.apart(queue.key))
        if isinstance(queue, HostedMirror) and not queue.machine.led():
            self.deliver_to_mirror(channel, queue)
        else:
            self.deliver_to_queue(channel, queue)

    # -- at a queue -----------------------------------------------------------------------------

    @observed
    def deliver_to_queue(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A message arrives at a queue, and what is too much goes (B1, O2)."""
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
        if channel.casts.next_for(queue.key) is None and not channel.machine.open:
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
            self.timers.begin(queue, msg, lifetime)
            self.timers.watch(queue)
        if queue.limit.exists and msg in queue.machine.ready:
            queue.limit.enters(content_of(msg))

    # -- at a mirror ----------------------------------------------------------------------------

    @observed
    def deliver_to_mirror(self, channel: PublishingChannel, mirror: HostedMirror) -> None:
        """The direct copy of a message arrives at a mirror (D4.1-D4.5)."""
        msg = channel.casts.next_for(mirror.key)
        require(msg is not None and not mirror.slow)
        assert msg is not None
        self.system.deliver_to_mirror(msg, mirror.key)
        if channel.casts.next_for(mirror.key) is None and not channel.machine.open:
            mirror.await_end(channel)
            self._unwatch(channel, mirror)

    # -- the master's copy ----------------------------------------------------------------------

    def follow(self, mirror: HostedMirror) -> None:
        """A mirror hears the next of what its master has told.

        In a partition it does not, before both know that no more will come (D1.3).
        """
        membership, multicast = mirror.membership, self.system.multicast
        require(membership is not None and mirror.machine.mirrors() and not mirror.slow)
        assert membership is not None
        leader = membership.leader
        require(not leader.machine.leads() or self._hears(mirror, leader))
        require(not multicast.silent(mirror.key))
        departed, coming = mirror.departed(), multicast.next_from_master(mirror.key)
        if departed is not None:
            self.master_removes(mirror, departed)
        elif coming is not None:
            self.master_tells(mirror, coming)
        if multicast.silent(mirror.key):
            mirror.departing.clear()
        else:  # it stands for two actions, and this was one of them
            self._offer(Action.FOLLOW, None, mirror)

    def _hears(self, mirror: HostedMirror, leader: HostedQueue) -> bool:
        return self.system.linked(leader.key, mirror.key) or self.system.divided(leader.key)

    @observed
    def master_tells(self, mirror: HostedMirror, msg: Msg) -> None:
        """The master's copy of a message arrives at a mirror (D4.6-D4.11).

        If the mirror had the message, of a master before, that has another place now.
        """
        stood = mirror.order.places.get(msg)
        self.system.master_tells(msg, mirror.key)
        if mirror.order.places.get(msg) != stood:
            if stood is not None:
                mirror.move(msg, stood)
                if mirror.was_given(msg):
                    self.journal.removed(mirror, msg)
            self._got(mirror, msg)

    @observed
    def master_removes(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror hears that a message has left the queue (D4.15)."""
        had = mirror.has(msg)
        self.system.master_removes(msg, mirror.key)
        self._lost(mirror, msg, had)

    def _got(self, mirror: HostedMirror, msg: Msg) -> None:
        """A mirror has one message more."""
        lifetime = mirror.lifetime(content_of(msg))
        if lifetime is not None:
            self.timers.begin(mirror, msg, lifetime)
        self._keep(mirror, msg)

    def _lost(self, mirror: HostedMirror, msg: Msg, had: bool) -> None:
        """A mirror has one message less, if it had it."""
        if had and mirror.part_with(msg):
            self.journal.removed(mirror, msg)

    @observed
    def forget_sender(self, channel: PublishingChannel, mirror: HostedMirror) -> None:
        """A mirror has heard from both sides that a channel is gone (D4.16-D4.18)."""
        require(channel in mirror.leaving and not channel.machine.open)
        require(channel.casts.next_for(mirror.key) is None and mirror.machine.mirrors())
        require(self.system.multicast.silent(mirror.key))
        if mirror.machine.remembers(channel.id):
            self.system.forget_sender(channel.id, mirror.key)
        mirror.end_of(channel)
        self._forget(channel)

    # -- for consumers that wait, or for nobody -------------------------------------------------

    def publish_at_once(
        self, channel: PublishingChannel, message: Message, targets: Iterable[HostedQueue]
    ) -> None:
        """A message is published to the queues at which a consumer takes it now (A6.6)."""
        routed = list(targets)
        takers = self._takers(channel, routed)
        unroutable = message.mandatory and not routed
        if not takers and not unroutable:
            message = _declined(message)
        self.publish(channel, channel.next(message), takers)
        for queue in takers:
            self._arrive(channel, queue)

    def _takers(
        self, channel: PublishingChannel, targets: Iterable[HostedQueue]
    ) -> list[HostedQueue]:
        """Return the queues at which a consumer waits that has room."""
        takers: list[HostedQueue] = []
        asked: set[ConsumingChannel] = set()
        for queue in targets:
            self._arrive(channel, queue)
            consumer = None if queue.machine.ready else self._next(queue)
            if queue.running and consumer is not None and consumer.channel not in asked:
                takers.append(queue)
                asked.add(consumer.channel)
        return takers

    def _arrive(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """What a channel has sent to a queue arrives, and is handed out as far as it can be."""
        with suppress(NotEnabled):
            while channel.casts.next_for(queue.key) is not None:
                self.deliver(channel, queue)
        with suppress(NotEnabled):
            while queue.machine.ready:
                self.serve(queue)

    # -- time -----------------------------------------------------------------------------------

    @property
    def due(self) -> float | None:
        """Return when there may be something to do, by the clock; None for never."""
        return self.timers.next

    def expire_due(self) -> None:
        """Take the steps that are due by the clock; what is apart is looked at when it is back."""
        for queue in self.timers.due():
            if self.system.apart(queue.key):
                continue
            self._expire(queue)
            if self.timers.is_unused(queue):
                self.unused(queue)
            self.timers.watch(queue)
