"""The steps of messages, taken again: published, stored, confirmed, committed, consumed.

A method has the name of a step, and gets what the broker's step was called with, after what the
method `_before_` of that name has returned.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.impl.lockstep.channel_pair import Pair
from ackproof.impl.lockstep.pair_table import Pairs
from ackproof.impl.lockstep.shadow_system import CHANNEL
from ackproof.impl.machines.channels import HostedConsumer, PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.spec.sorts import Msg, Replica

__all__ = ["Retaken"]


class Retaken(Pairs):
    """What messages do, on the other side."""

    def __init__(self) -> None:
        super().__init__()
        self._passed: set[tuple[Msg, Replica]] = set()
        self._handed: set[tuple[Msg, Replica]] = set()

    # -- publishing -----------------------------------------------------------------------------

    def _before_publish(
        self, channel: PublishingChannel, msg: Msg, targets: Iterable[HostedQueue]
    ) -> Pair | None:
        pair = self._joined(channel, targets)
        if pair is not None:
            pair.rank(msg, targets)
        return pair

    def _publish(
        self,
        pair: Pair | None,
        channel: PublishingChannel,
        msg: Msg,
        targets: Iterable[HostedQueue],
    ) -> None:
        if pair is not None:
            _take_publish(pair, "publish", msg, targets)

    def _arrive(self, _: None, channel: PublishingChannel, queue: HostedQueue, msg: Msg) -> None:
        pair = self._pair(channel)
        number = None if pair is None else pair.number(msg)
        if pair is None or number is None:
            return
        if (msg, queue.key) in self._passed:
            self._passed.discard((msg, queue.key))
            pair.take("pass_by", number, queue.key)
        else:
            # The limit is for all messages of the queue, of which the shadow knows its own only.
            full = queue.key if msg in queue.machine.refused else None
            pair.take("deliver", number, queue.key, full=full)
        if (msg, queue.key) in self._handed:
            self._handed.discard((msg, queue.key))
            pair.take("take", number, queue.key)

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
                pair.take("confirm_arrives", CHANNEL, queue.key)

    def _reject_arrives(self, _: None, queue: HostedQueue) -> None:
        for pair in self._concerned(queue):
            if pair.process(queue).refused:
                pair.take("reject_arrives", CHANNEL, queue.key)

    def _down_arrives(self, _: None, channel: PublishingChannel, queue: HostedQueue) -> None:
        pair = self._pair(channel)
        if pair is not None and queue.key in pair.queues:
            pair.take("down_arrives", CHANNEL, queue.key)

    def _flush(self, _: None, channel: PublishingChannel) -> None:
        pair = self._pair(channel)
        if pair is not None:
            pair.take("flush", CHANNEL)

    # -- transactions ---------------------------------------------------------------------------

    def _publish_in_tx(
        self, _: None, channel: PublishingChannel, msg: Msg, targets: Iterable[HostedQueue]
    ) -> None:
        pair = self._joined(channel, targets)
        if pair is not None:
            pair.rank(msg, targets)
            _take_publish(pair, "publish_in_tx", msg, targets)

    def _before_tx_commit(self, channel: PublishingChannel, *_: object) -> None:
        self._pair(channel)

    def _tx_commit(self, _: None, channel: PublishingChannel, *__: object) -> None:
        self._of_channel(channel, "tx_commit")

    def _tx_rollback(self, _: None, channel: PublishingChannel, *__: object) -> None:
        self._of_channel(channel, "tx_rollback")

    def _before_complete(self, channel: PublishingChannel) -> Pair | None:
        return self._pair(channel)

    def _complete(self, pair: Pair | None, channel: PublishingChannel) -> None:
        """Take the step; if the commit has failed, that closes the channel (A13.5)."""
        if pair is not None and pair.channel in self._pairs:
            pair.take("complete", CHANNEL)

    def _close(self, _: None, channel: PublishingChannel) -> None:
        if channel in self._pairs:
            self._of_channel(channel, "close")

    # -- leaving --------------------------------------------------------------------------------

    def _hand_on(self, _: None, msg: Msg, queue: HostedQueue, consumer: HostedConsumer) -> None:
        taken = self._passed if consumer.machine.no_ack else self._handed
        taken.add((msg, queue.key))

    def _take(self, _: None, queue: HostedQueue, msg: Msg) -> None:
        self._of_message("take", queue, msg)

    def _acknowledge(self, _: None, queue: HostedQueue, msg: Msg) -> None:
        self._of_message("acknowledge", queue, msg)

    def _requeue(self, _: None, queue: HostedQueue, msg: Msg) -> None:
        self._of_message("requeue", queue, msg)

    def _drop(self, _: None, queue: HostedQueue, msg: Msg) -> None:
        self._of_message("drop", queue, msg)


def _take_publish(pair: Pair, action: str, msg: Msg, targets: Iterable[HostedQueue]) -> None:
    """Publish a message on the other side, to the queues that the broker has found."""
    message, queues = content_of(msg), {queue.machine.of for queue in targets}
    pair.take(action, pair.number(msg), queues, message.mandatory, message.persistent)
