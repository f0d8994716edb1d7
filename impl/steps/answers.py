"""The steps by which channels hear from queues, and tell their publishers.

What a queue has to say to several channels, it says in one step.  That is as many steps of the
system, of one channel each, with nothing between them.  Nothing crosses a partition, and a channel
whose node must not speak for the cluster tells nothing (A12).

What nobody asks for any more is forgotten: a queue that is deleted, a channel that is closed.
"""

from __future__ import annotations

from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.hosted_system import leave
from ackproof.impl.machines.publication import shares
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.sides import Sides
from ackproof.lang import require
from ackproof.spec.sorts import ChannelId

__all__ = ["Answers"]


class Answers(Part):
    """What queues tell channels, and channels their publishers (A8, A9, A10)."""

    def __init__(self, context: Context, sides: Sides) -> None:
        super().__init__(context)
        self.sides = sides

    @observed
    def confirm_arrives(self, queue: HostedQueue) -> None:
        """The channels process the confirms that a queue has cast (A8.3, A8.5, D7.4).

        An action looks at all that was cast for what is its channel's; so it is shown that only.
        """
        require(bool(queue.machine.outbox) and not (queue.slow or self.system.apart(queue.key)))
        for channel, msgs in shares(queue.machine.outbox):
            queue.machine.outbox = msgs
            self.system.confirm_arrives(channel, queue.key)
            self._heard(channel)
        self.dispose(queue)

    @observed
    def reject_arrives(self, queue: HostedQueue) -> None:
        """The channels process the rejects that a queue has cast (A8.4)."""
        require(bool(queue.machine.refused) and not self.system.apart(queue.key))
        for channel, msgs in shares(queue.machine.refused):
            queue.machine.refused = msgs
            self.system.reject_arrives(channel, queue.key)
            self._heard(channel)
        self.dispose(queue)

    def _heard(self, channel: ChannelId) -> None:
        """A channel has heard something; one that is closed lets it have no effect (A14.3)."""
        if channel not in self.channels:
            leave(self.system, channel)

    @observed
    def down_arrives(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel learns that a queue is gone, after all that the queue had sent (A9, O1).

        It does when the disk knows who leads instead (D5.7).
        """
        require(queue in channel.watching and queue.recorded)
        self.system.down_arrives(channel.id, queue.key)
        self.unwatch(channel, queue)

    @observed
    def flush(self, channel: PublishingChannel) -> None:
        """A channel tells what is settled, if its node may speak for the cluster (A10, A12)."""
        require(self.sides.cluster.may_confirm())
        require(channel.id in self.channels)
        if self.context.faults is None:
            self.system.flush(channel.id)
        else:
            self.context.faults.tell(channel, lambda: self.system.flush(channel.id))

    # -- nobody asks any more -----------------------------------------------------------------

    def unwatch(self, channel: PublishingChannel, queue: HostedQueue) -> None:
        """A channel is not concerned by a queue any more, which may have to wait for that.

        In the specification a closed channel goes on to hear of it.
        """
        queue.unwatch_for(channel)
        self.context.offer(Action.RESTART, None, queue)
        self.forget(channel)
        self.dispose(queue)

    def dispose(self, queue: HostedQueue) -> None:
        """Nobody asks for a queue any more that is deleted, and of which all have heard that."""
        over = queue.over() if queue.membership is None else queue.membership.over()
        if over:
            queue.leave()

    def forget(self, channel: PublishingChannel) -> None:
        """Nobody asks for a channel any more that is closed, and nothing of it is on its way."""
        if not (channel.machine.open or channel.watching or channel.leaving):
            self.channels.pop(channel.id, None)
            channel.forget()

    def offer_downs(self, queue: HostedQueue) -> None:
        """Channels that wait for the end of a process may hear of it now."""
        if not queue.running:
            for channel in queue.watchers:
                self.context.offer(Action.DOWN_ARRIVES, channel, queue)
