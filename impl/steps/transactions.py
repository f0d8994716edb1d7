"""The steps of transactions.

A transactional channel counts its messages as a confirming one does, so what comes back from the
queues is settled as always, and only the end differs: `complete` instead of `flush`.

What is kept of a transaction are the contents and the queues they were routed to when they were
published (A13.1).
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.impl.machines.channels import ConsumingChannel, PublishingChannel
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.closing import Closing
from ackproof.impl.steps.contents import Contents
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.publishing import Publishing
from ackproof.impl.steps.serving import Serving
from ackproof.impl.steps.sides import Sides
from ackproof.lang import require
from ackproof.model.native.families import having
from ackproof.spec.sorts import Msg, Status, TxMode

__all__ = ["Transactions"]


class Transactions(Part):
    """Publishes and acks that take effect together (A13)."""

    def __init__(
        self,
        context: Context,
        sides: Sides,
        contents: Contents,
        publishing: Publishing,
        serving: Serving,
        closing: Closing,
    ) -> None:
        super().__init__(context)
        self.sides = sides
        self.contents = contents
        self.publishing = publishing
        self.serving = serving
        self.closing = closing

    # -- modes --------------------------------------------------------------------------------

    @observed
    def select(self, channel: PublishingChannel) -> None:
        """A publisher asks for confirm mode, which a transactional channel refuses (A1.1, A1.2)."""
        channel.begin_counting()
        self.closing.closing_if_refused(channel, self.system.select)

    @observed
    def tx_select(self, channel: PublishingChannel) -> None:
        """A publisher asks for transactions, which a confirming channel refuses (A1.3)."""
        channel.begin_counting()
        self.closing.closing_if_refused(channel, self.system.tx_select)

    # -- publishing ---------------------------------------------------------------------------

    @observed
    def publish_in_tx(
        self, channel: PublishingChannel, msg: Msg, targets: Iterable[HostedQueue]
    ) -> None:
        """In a transaction a message is routed, takes its number, and waits (A4.4, A13.1)."""
        message, kept = content_of(msg), list(targets)
        queues = {queue.machine.of for queue in kept}
        self.system.publish_in_tx(msg, queues, message.mandatory, message.persistent)
        channel.batch[msg] = kept

    @observed
    def tx_commit(self, channel: PublishingChannel, consuming: ConsumingChannel) -> None:
        """All messages go to their queues, and what was settled takes effect (A13.3).

        Args:
            channel: the one that commits.
            consuming: the same, as its consumers know it.
        """
        batch, machine = list(channel.batch.items()), consuming.machine
        returning = consuming.loans(machine.returning)
        finished = consuming.loans(set(machine.collected) - machine.returning)
        rejected, consuming.rejected = consuming.rejected, set()
        self.serving.give_up_rejected(consuming, rejected)
        for queue, _ in finished:
            if queue.limit.exists:
                queue.limit.expect(())  # it is looked at, too, and was perhaps never asked
        for queues in list(channel.transaction.routes.values()):
            queues -= {of for of in queues if not having(self.system.replicas, "of", of)}
        with channel.committing(), self.serving.returned(returning):
            self.system.tx_commit(channel.id)
        channel.batch.clear()
        for msg, kept in batch:
            targets = [queue for queue in kept if queue.machine.status != Status.DELETED]
            self.publishing.sent(channel, msg, targets)
        for queue, msg in finished:
            self.contents.acknowledge(queue, msg)
        self.serving.clear(consuming)

    @observed
    def tx_rollback(self, channel: PublishingChannel, consuming: ConsumingChannel) -> None:
        """The client takes it all back (A13.6)."""
        self.system.tx_rollback(channel.id)
        channel.batch.clear()
        consuming.rejected.clear()

    # -- the answer ---------------------------------------------------------------------------

    @observed
    def complete(self, channel: PublishingChannel) -> None:
        """Nothing is waited for any more: commit-ok, or the channel closes (A13.4, A13.5).

        It is told if the channel's node may speak for the cluster (A12.6).
        """
        require(self.sides.cluster.may_confirm())
        require(not channel.transaction.answers() and not channel.machine.unconfirmed)
        if self.context.faults is None:
            self._end_commit(channel)
        else:
            self.context.faults.tell(channel, lambda: self._end_commit(channel))

    def _end_commit(self, channel: PublishingChannel) -> None:
        if channel.transaction.mode == TxMode.FAILED:
            self.closing.closing_if_refused(channel, self.system.complete)
        else:
            self.system.complete(channel.id)
