"""Which channels are followed in lockstep, each in a pair with its shadow.

A channel has a shadow from when it first publishes, if it confirms or is transactional, until it
has closed and is forgotten by all queues.  A queue concerns the pairs whose channels have published
to it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.impl.lockstep.channel_pair import Pair
from ackproof.impl.lockstep.shadow_system import CHANNEL
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.spec.sorts import Msg, TxMode

__all__ = ["Pairs"]


class Pairs:
    """The pairs of channels and shadows, and those that a step has concerned."""

    def __init__(self) -> None:
        self._pairs: dict[PublishingChannel, Pair] = {}
        self._touched: dict[Pair, None] = {}
        self._blind = False

    def _pair(self, channel: PublishingChannel) -> Pair | None:
        """Return the pair of a channel; None if it does not answer for what it gets."""
        if channel not in self._pairs:
            answers = channel.machine.confirming or channel.transaction.mode != TxMode.NONE
            if self._blind or not (channel.machine.open and answers):
                return None
            self._pairs[channel] = Pair(channel)
        self._touched[self._pairs[channel]] = None
        return self._pairs[channel]

    def _joined(self, channel: PublishingChannel, targets: Iterable[HostedQueue]) -> Pair | None:
        """Return the pair of a channel that publishes to these queues."""
        pair = self._pair(channel)
        if pair is not None:
            pair.join(targets)
        return pair

    def _concerned(self, queue: HostedQueue) -> list[Pair]:
        """Return the pairs whose channels have published to a queue."""
        concerned = [pair for pair in self._pairs.values() if queue.key in pair.queues]
        self._touched.update(dict.fromkeys(concerned))
        return concerned

    def _of_message(self, action: str, queue: HostedQueue, msg: Msg) -> None:
        for pair in self._concerned(queue):
            number = pair.number(msg)
            if number is not None:
                pair.take(action, number, queue.key)

    def _of_channel(self, channel: PublishingChannel, action: str) -> None:
        pair = self._pair(channel)
        if pair is not None:
            pair.take(action, CHANNEL)

    def _partition(self, _: None, *__: object) -> None:
        """From here on a shadow, which knows of no nodes, has nothing to say."""
        self._blind = True
        self._pairs.clear()

    def _compare(self) -> None:
        """Compare both sides of what was concerned since the last time."""
        touched, self._touched = self._touched, {}
        for pair in touched:
            if pair.channel in self._pairs:
                pair.compare()
                if pair.is_over():
                    del self._pairs[pair.channel]
