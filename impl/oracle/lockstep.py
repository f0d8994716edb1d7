"""Lockstep: every step of the broker, taken by the specification's own system as well.

The broker composes the specification's machines by itself, since it has many channels and the
specification has one (see `ackproof.impl.steps.core`).  That composition is the one place where
what the broker does is written outside of `spec/`.  `Lockstep` watches it: each step is taken again
by the twin of every publishing channel that it concerns, if that confirms or is transactional, and
then both sides must be the same.

A step that the broker takes inside another one is a step of its own for a twin.  Sides are compared
when the outer one is over.

In a queue with priorities messages do not stand in the order of their numbers, of which the
specification knows nothing: a channel that publishes to one is not followed any further.

It costs a millisecond a step and more with every message, and is for tests.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ackproof.impl.machines.consuming import ConsumingChannel
from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.machines.publishing import PublishingChannel
from ackproof.impl.machines.subscriptions import HostedConsumer
from ackproof.impl.oracle.pair import Pair
from ackproof.impl.oracle.twin import Deviation
from ackproof.impl.steps.core import Steps
from ackproof.impl.storage.journal import Batch
from ackproof.impl.wire.content import Message
from ackproof.spec.lang import Option
from ackproof.spec.sorts import Msg, Replica, TxMode

__all__ = ["Lockstep"]


class Lockstep:
    """An observer that takes each step again, by the specification.

        lockstep = Lockstep(broker.steps)
        ...
        lockstep.check()

    What is found first is kept, and is raised out of whatever caused the step; after that nothing
    is compared any more.
    """

    def __init__(self, steps: Steps) -> None:
        self._pairs: dict[PublishingChannel, Pair] = {}
        self._apart: set[PublishingChannel] = set()
        self._touched: dict[Pair, None] = {}
        self._passed: set[tuple[Msg, Replica]] = set()
        self._begun: list[tuple[tuple[Any, ...], Any]] = []
        self._found: Deviation | None = None
        steps.observers.append(self)

    def check(self) -> None:
        """Look whether the broker has done what the specification does.

        Raises:
            Deviation: it has not.
        """
        if self._found is not None:
            raise self._found

    # -- observing ------------------------------------------------------------------------------

    def before(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step is about to be taken: look at what it will have changed."""
        asking = getattr(self, f"_before_{step}", None)
        known = None if asking is None else asking(*arguments)
        self._begun.append((arguments, known))

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """A step was taken: take it again.  Others that began in it were not possible."""
        while self._begun[-1][0] is not arguments:
            self._begun.pop()
        _, known = self._begun.pop()
        if self._found is not None:
            return
        try:
            taking = getattr(self, f"_{step}", None)
            if taking is not None:
                taking(known, *arguments)
            if not self._begun:
                self._compare()
        except Deviation as deviation:
            self._found = deviation
            raise

    def committed(self, batch: Batch) -> None:
        """A commit has returned; the queues notice by their step `sync`."""

    def _compare(self) -> None:
        touched, self._touched = self._touched, {}
        for pair in touched:
            if pair.channel in self._pairs:
                pair.compare()

    # -- publishing -----------------------------------------------------------------------------

    def _before_publish(
        self,
        channel: PublishingChannel,
        msg: Msg,
        message: Message,
        targets: Iterable[HostedQueue],
    ) -> tuple[Pair, Msg] | None:
        pair = self._joined(channel, targets)
        number = channel.machine.next_seq
        if pair is None or number is None:
            return None
        pair.name(msg, number)
        return pair, number

    def _publish(
        self,
        known: tuple[Pair, Msg] | None,
        channel: PublishingChannel,
        msg: Msg,
        message: Message,
        targets: Iterable[HostedQueue],
    ) -> None:
        if known is not None:
            pair, number = known
            keys = {queue.key for queue in targets}
            pair.take("publish", number, keys, message.mandatory, message.persistent)

    def _before_deliver(self, channel: PublishingChannel, queue: HostedQueue) -> Option[Msg]:
        return channel.network.next_for(queue.key)

    def _deliver(self, msg: Option[Msg], channel: PublishingChannel, queue: HostedQueue) -> None:
        pair = self._pair(channel)
        number = None if pair is None else pair.number(msg)
        if pair is None or msg is None or number is None:
            return
        if (msg, queue.key) in self._passed:
            self._passed.discard((msg, queue.key))
            pair.take("pass_by", number, queue.key)
        else:
            # The limit is for all messages of the queue, of which the twin knows its own only.
            full = queue.key if msg in queue.machine.refused else None
            pair.take("deliver", number, queue.key, full=full)

    # -- the disk, and the way back -------------------------------------------------------------

    def _sync(self, _: None, queue: HostedQueue) -> None:
        for pair in self._concerned(queue):
            pair.sync(queue)

    def _drain(self, _: None, queue: HostedQueue) -> None:
        for pair in self._concerned(queue):
            if pair.process(queue).store.confirmed:
                pair.take("drain", queue.key)

    def _confirm_arrives(self, _: None, queue: HostedQueue) -> None:
        for pair in self._concerned(queue):
            if pair.process(queue).outbox:
                pair.take("confirm_arrives", queue.key)

    def _reject_arrives(self, _: None, queue: HostedQueue) -> None:
        for pair in self._concerned(queue):
            if pair.process(queue).refused:
                pair.take("reject_arrives", queue.key)

    def _down_arrives(self, _: None, channel: PublishingChannel, queue: HostedQueue) -> None:
        pair = self._pair(channel)
        if pair is not None and queue.key in pair.queues:
            pair.take("down_arrives", queue.key)

    def _flush(self, _: None, channel: PublishingChannel) -> None:
        pair = self._pair(channel)
        if pair is not None:
            pair.take("flush")

    # -- transactions ---------------------------------------------------------------------------

    def _before_publish_in_tx(
        self, channel: PublishingChannel, message: Message, targets: Iterable[HostedQueue]
    ) -> Option[Msg]:
        return channel.machine.next_seq

    def _publish_in_tx(
        self,
        number: Option[Msg],
        channel: PublishingChannel,
        message: Message,
        targets: Iterable[HostedQueue],
    ) -> None:
        pair = self._joined(channel, targets)
        if pair is not None:
            keys = {queue.key for queue in targets}
            pair.take("publish_in_tx", number, keys, message.mandatory, message.persistent)

    def _before_tx_commit(
        self, channel: PublishingChannel, _: ConsumingChannel, ids: Iterable[Msg]
    ) -> None:
        pair = self._pair(channel)
        if pair is not None:
            for number, msg in zip(channel.batch, ids, strict=True):
                pair.name(msg, number)

    def _tx_commit(self, _: None, channel: PublishingChannel, *__: object) -> None:
        self._of_channel(channel, "tx_commit")

    def _tx_rollback(self, _: None, channel: PublishingChannel, *__: object) -> None:
        self._of_channel(channel, "tx_rollback")

    def _before_complete(self, channel: PublishingChannel) -> Pair | None:
        return self._pair(channel)

    def _complete(self, pair: Pair | None, channel: PublishingChannel) -> None:
        """Take the step, which the specification closes the channel in, if the commit failed."""
        if pair is not None and pair.channel in self._pairs:
            pair.take("complete")

    def _of_channel(self, channel: PublishingChannel, action: str) -> None:
        pair = self._pair(channel)
        if pair is not None:
            pair.take(action)

    # -- leaving and ending ---------------------------------------------------------------------

    def _hand_on(
        self, _: None, msg: Msg, __: Message, queue: HostedQueue, ___: HostedConsumer
    ) -> None:
        self._passed.add((msg, queue.key))

    def _take(self, _: None, queue: HostedQueue, msg: Msg) -> None:
        self._of_message("take", queue, msg)

    def _acknowledge(self, _: None, queue: HostedQueue, msg: Msg) -> None:
        self._of_message("acknowledge", queue, msg)

    def _requeue(self, _: None, queue: HostedQueue, msg: Msg) -> None:
        self._of_message("requeue", queue, msg)

    def _drop(self, _: None, queue: HostedQueue, msg: Msg) -> None:
        self._of_message("drop", queue, msg)

    def _of_message(self, action: str, queue: HostedQueue, msg: Msg) -> None:
        for pair in self._concerned(queue):
            number = pair.number(msg)
            if number is not None:
                pair.take(action, number, queue.key)

    def _before_crash_queue(self, queue: HostedQueue) -> set[PublishingChannel]:
        return set(queue.watchers)

    def _crash_queue(self, watching: set[PublishingChannel], queue: HostedQueue) -> None:
        self._ended(queue, watching, "crash_queue", queue.key)

    _before_delete_queue = _before_crash_queue

    def _delete_queue(self, watching: set[PublishingChannel], queue: HostedQueue) -> None:
        self._ended(queue, watching, "delete_queue", queue.key)

    def _ended(
        self, queue: HostedQueue, watching: set[PublishingChannel], action: str, key: Replica
    ) -> None:
        """Let a queue end, for channels that monitor it and for those that do so no more (A5.7).

        Those have published to it once, and heard of an earlier end since.  The specification has
        a channel monitor its queues always; what it hears then changes nothing.
        """
        for pair in self._concerned(queue):
            pair.take(action, key)
            if pair.channel not in watching:
                pair.take("down_arrives", key)

    def _restart(self, _: None, queue: HostedQueue) -> None:
        for pair in self._concerned(queue):
            pair.take("restart", queue.key)

    def _close(self, _: None, channel: PublishingChannel) -> None:
        self._apart.discard(channel)
        pair = self._pairs.pop(channel, None)
        if pair is not None:
            pair.take("close")

    # -- pairs ----------------------------------------------------------------------------------

    def _pair(self, channel: PublishingChannel) -> Pair | None:
        """Return the pair of a channel; None unless it is open, and answers for what it gets."""
        answers = channel.machine.confirming or channel.transaction.mode != TxMode.NONE
        if channel in self._apart or not (channel.machine.open and answers):
            return None
        if channel not in self._pairs:
            self._pairs[channel] = Pair(channel)
        self._touched[self._pairs[channel]] = None
        return self._pairs[channel]

    def _joined(self, channel: PublishingChannel, targets: Iterable[HostedQueue]) -> Pair | None:
        """Return the pair of a channel that publishes to these queues."""
        if any(queue.ranks is not None for queue in targets):
            self._apart.add(channel)
            self._pairs.pop(channel, None)
        pair = self._pair(channel)
        if pair is not None:
            pair.join(targets)
        return pair

    def _concerned(self, queue: HostedQueue) -> list[Pair]:
        """Return the pairs whose channels have published to a queue."""
        concerned = [pair for pair in self._pairs.values() if queue.key in pair.queues]
        self._touched.update(dict.fromkeys(concerned))
        return concerned
