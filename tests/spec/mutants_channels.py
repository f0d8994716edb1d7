"""Small mistakes between channels: what is done for one is done for another one, too.

Each does properly what it was asked to do, and more than that.
"""

from __future__ import annotations

from ackproof.lang import Design, Option, action, fault, handler, helper, require
from ackproof.spec.sorts import ChannelId, Consumer, Tag, TxMode
from ackproof.spec.system import Confirms


class Neighbours(Confirms):
    """Knows of each channel another one."""

    @helper
    def beside(self, channel: ChannelId) -> Option[ChannelId]:
        """Return the first of the other channels, if there is one."""
        return min({c for c in ChannelId if c != channel}, default=None)

    @handler
    def give_up_deliveries(self, channel: ChannelId) -> None:
        """Put back whatever a channel has, in good order."""
        if self.heeds(channel):
            everything = set(self.consuming[channel].unacked)
            self.put_back(channel, everything)
            self.consuming[channel].settle(everything)


class SelectForAll(Confirms):
    """Has all channels confirm when one does."""

    @action
    def select(self, channel: ChannelId) -> None:
        """Select, and switch confirms on elsewhere."""
        super().select(channel)
        for other in ChannelId:
            if self.channels[other].open and self.transactions[other].mode == TxMode.NONE:
                self.channels[other].confirming = True


class RejectPutsAllBack(Neighbours):
    """Takes a reject for everybody's."""

    @action
    def consumer_rejects(
        self, channel: ChannelId, tag: Option[Tag], multiple: bool, requeue: bool
    ) -> None:
        """Reject, and put back what another one has."""
        super().consumer_rejects(channel, tag, multiple, requeue)
        other = self.beside(channel)
        if other is not None:
            self.give_up_deliveries(other)


class AckPutsAllBack(Neighbours):
    """Thinks that who acks has overtaken the others."""

    @action
    def consumer_acks(self, channel: ChannelId, tag: Option[Tag], multiple: bool) -> None:
        """Ack, and put back what another one has."""
        super().consumer_acks(channel, tag, multiple)
        other = self.beside(channel)
        if other is not None:
            self.give_up_deliveries(other)


class RecoverAll(Neighbours):
    """Recovers whatever there is to recover."""

    @action
    def recover(self, channel: ChannelId) -> None:
        """Recover, on another channel, too."""
        super().recover(channel)
        other = self.beside(channel)
        if other is not None:
            self.give_up_deliveries(other)


class CommitAppliesAll(Neighbours):
    """Applies at a commit what anybody has settled."""

    @action
    def tx_commit(self, channel: ChannelId) -> None:
        """Commit, and settle what another one may still take back."""
        super().tx_commit(channel)
        other = self.beside(channel)
        if other is not None and self.transactions[channel].mode == TxMode.COMMITTING:
            self.settle_collected(other)


class CommitForAll(Neighbours):
    """Commits what anybody has published."""

    @action
    def tx_commit(self, channel: ChannelId) -> None:
        """Commit two."""
        super().tx_commit(channel)
        other = self.beside(channel)
        done = self.transactions[channel].mode == TxMode.COMMITTING
        if done and other is not None and self.transactions[other].mode == TxMode.OPEN:
            self.commit(other)


class RollbackForAll(Neighbours):
    """Takes back what anybody has published."""

    @action
    def tx_rollback(self, channel: ChannelId) -> None:
        """Roll back two."""
        super().tx_rollback(channel)
        other = self.beside(channel)
        done = self.transactions[channel].mode == TxMode.OPEN
        if done and other is not None and self.transactions[other].mode == TxMode.OPEN:
            self.roll_back(other)


class EndConsumersOfAll(Neighbours):
    """Ends all consumers with a channel."""

    @handler
    def close_channel(self, channel: ChannelId) -> None:
        """Close, and stop who consumes elsewhere."""
        super().close_channel(channel)
        other = self.beside(channel)
        if other is not None:
            self.give_up_deliveries(other)
            for consumer in Consumer.of(other):
                self.subscriptions[consumer].stop()


class CancelAll(Confirms):
    """Stops everybody when one is stopped."""

    @fault
    def cancel(self, consumer: Consumer) -> None:
        """Cancel, and stop the others."""
        super().cancel(consumer)
        for other in Consumer:
            self.subscriptions[other].stop()


class SharedPrefetch(Confirms):
    """Lets one channel's deliveries count against another one's limit."""

    @helper
    def has_room(self, consumer: Consumer) -> bool:
        """Wait until nobody else has anything."""
        return super().has_room(consumer) and all(
            not self.consuming[c].unacked for c in ChannelId if c != Consumer.owner(consumer)
        )


class AlarmForFirst(Confirms):
    """Tells the first connection of an alarm."""

    @fault
    def alarm(self) -> None:
        """Let the others publish."""
        require(any(self.channels[c].open for c in ChannelId))
        self.readers[min(ChannelId)].sets_alarm()

    @action(fair="weak")
    def alarm_clears(self) -> None:
        """Have nothing to tell the others."""
        self.readers[min(ChannelId)].clears_alarm(self.starved(min(ChannelId)))


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
CHANNELS_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(SelectForAll, "SelectsAlone", "channels"),
        _case(RejectPutsAllBack, "SettlesItsOwn", "channels_cancel"),
        _case(AckPutsAllBack, "SettlesItsOwn", "channels_cancel"),
        _case(RecoverAll, "SettlesItsOwn", "channels_cancel"),
        _case(EndConsumersOfAll, "ConsumersEndAlone", "channels_cancel"),
        _case(CancelAll, "ConsumersEndAlone", "channels_cancel"),
        _case(SharedPrefetch, "ReadyIsDelivered", "channels_cancel"),
        _case(CommitAppliesAll, "TransactsAlone", "channels_acks"),
        _case(CommitForAll, "TransactsAlone", "channels_commit"),
        _case(RollbackForAll, "TransactsAlone", "channels_commit"),
        _case(AlarmForFirst, "AlarmIsForAll", "channels_alarm"),
    )
}
