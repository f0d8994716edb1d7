"""Small mistakes in what clients ask for: a step is taken as if it had been asked for another way.

The rest of the step is as it should be, and all that is kept of it agrees with the mistake.
"""

from __future__ import annotations

from ackproof.lang import Design, Set, action, fault, handler, require
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Born, ChannelId, Consumer, Method, Msg, Queue, Replica, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Complaint


class PublishesTransient(Confirms):
    """Takes every message for a transient one (C1)."""

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """Spare the disk."""
        super().publish(msg, targets, mandatory, False)


class PublishesPersistent(Confirms):
    """Takes every message for a persistent one (C1)."""

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """Spare nothing."""
        super().publish(msg, targets, mandatory, True)


class PlainIsTransient(Confirms):
    """Takes for transient what nobody waits for a confirm of (C1)."""

    @action
    def publish_plain(self, msg: Msg, targets: Set[Queue], persistent: bool) -> None:
        """Suppose that it cannot matter."""
        super().publish_plain(msg, targets, False)


class TransactsTransient(Confirms):
    """Takes for transient what is published in a transaction (C1)."""

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """Spare the disk."""
        super().publish_in_tx(msg, targets, mandatory, False)


class OneQueueOnly(Confirms):
    """Routes to no queue what is for several (A5.1)."""

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """Know no way to several."""
        super().publish(msg, {q for q in targets if len(targets) == 1}, mandatory, persistent)


class NeverMandatory(Confirms):
    """Takes no message for mandatory (A6.2)."""

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """Return nothing."""
        super().publish(msg, targets, False, persistent)


class AlwaysMandatory(Confirms):
    """Takes each message for mandatory (A6.2)."""

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """Return it."""
        super().publish(msg, targets, True, persistent)


class ReturnsUnasked(Confirms):
    """Takes each message for mandatory outside of any mode (A6.2)."""

    @action
    def publish_unroutable(self, channel: ChannelId, mandatory: bool) -> None:
        """Return it."""
        super().publish_unroutable(channel, True)


class LaxTransaction(Confirms):
    """Takes for not mandatory what is published in a transaction (A6.2, A13.1)."""

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """Return nothing."""
        super().publish_in_tx(msg, targets, False, persistent)


class RoutesLate(Confirms):
    """Looks for the queues of what is published in a transaction at its commit (A13.1)."""

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """Take any."""
        channel = Msg.owner(msg)
        blocked = self.channel_blocked(channel)
        require(self.transactional and self.readers[channel].reads_content())
        require(self.transactions[channel].mode == TxMode.OPEN)
        require(self.channels[channel].open and self.channels[channel].next_seq == msg)
        if persistent and targets:
            self.persistent.add(msg)
        if mandatory and not targets:
            self.mandatory.add(msg)
        self.channels[channel].skip()
        self.transactions[channel].publish(msg, targets, mandatory)
        self.hand_over(channel, blocked)


class TransactsInstead(Confirms):
    """Makes a channel transactional that was to confirm (A1.1)."""

    @action
    def select(self, channel: ChannelId) -> None:
        """Answer what was not asked."""
        require(self.of_client(channel) and self.readers[channel].reads())
        require(self.channels[channel].open and self.transactions[channel].answers())
        self.asking[channel] = Method.TX_SELECT
        if self.channels[channel].confirming:
            self.complain(channel, Complaint.CONFIRM_TO_TX)
        else:
            self.transactions[channel].select()


class ConfirmsInstead(Confirms):
    """Makes a channel confirm that was to be transactional (A1.3)."""

    @action
    def tx_select(self, channel: ChannelId) -> None:
        """Answer what was not asked."""
        require(self.of_client(channel) and self.transactional and self.readers[channel].reads())
        require(self.channels[channel].open and self.transactions[channel].answers())
        self.asking[channel] = Method.SELECT
        if self.transactions[channel].mode == TxMode.OPEN:
            self.complain(channel, Complaint.TX_TO_CONFIRM)
        else:
            self.channels[channel].select()


class RollsForward(Confirms):
    """Sends to its queues what is rolled back (A13.6)."""

    @handler
    def roll_back(self, channel: ChannelId) -> None:
        """Let nothing be lost."""
        batch = set(self.transactions[channel].batch)
        routed = {q for m in batch for q in self.transactions[channel].routes[m]}
        for replica in self.addressed(routed):
            msgs = {m for m in batch if self.sent_to(channel, m, replica)}
            self.send_all(channel, msgs, replica)
        super().roll_back(channel)


class GetsTheOtherWay(Confirms):
    """Takes a get without acks for one with acks, and the other way round (F1.1)."""

    @action
    def get(self, channel: ChannelId, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """Turn it round."""
        super().get(channel, msg, replica, not no_ack)


class RequeueIsAck(Confirms):
    """Takes for consumed what an unnamed consumer gives back (B7.2)."""

    @action
    def requeue(self, msg: Msg, replica: Replica) -> None:
        """Let it go."""
        require(self.consumers and self.replicas[replica].leads())
        require(msg in self.replicas[replica].pending)
        self.replicas[replica].acknowledge(msg)
        self.replicas[replica].displace({msg})
        self.leaves(msg, replica)


class AckIsRequeue(Confirms):
    """Takes for given back what an unnamed consumer acknowledges (B7.1)."""

    @action
    def acknowledge(self, msg: Msg, replica: Replica) -> None:
        """Keep it."""
        require(self.consumers and self.replicas[replica].leads())
        require(msg in self.replicas[replica].pending)
        self.replicas[replica].requeue(msg)


class CancelsNothing(Confirms):
    """Answers a cancel, and goes on (B7.6)."""

    @fault
    def cancel(self, consumer: Consumer) -> None:
        """Say yes."""
        require(self.heeds(Consumer.owner(consumer)))
        require(any(self.subscriptions[consumer].at == r for r in Replica if self.reaches(r)))
        self.fetching.add(Consumer.owner(consumer))
        self.consuming[Consumer.owner(consumer)].cancelled(consumer)


class ClosesTransactions(Confirms):
    """Ends the transaction of a channel that is closed, and leaves it open (A14.1)."""

    @fault
    def close(self, channel: ChannelId) -> None:
        """Begin anew."""
        require(self.of_client(channel) and self.channels[channel].open)
        self.transactions[channel].close()


class DeletesTheMaster(QueueProcess):
    """Leaves the mirrors of a queue that is deleted as processes that have ended (D8 L8)."""

    @handler
    def delete(self) -> None:
        """Delete the first one."""
        if self.born == Born.MASTER:
            super().delete()


class SpareCommit(Confirms):
    """Commits nothing transient together with what is persistent (A13.3)."""

    @handler
    def commit(self, channel: ChannelId) -> None:
        """Keep what matters."""
        batch = set(self.transactions[channel].batch)
        kept = {m for m in batch if m in self.persistent or not batch & self.persistent}
        for msg in sorted(kept):
            self.register(channel, msg)
        routed = {q for m in kept for q in self.transactions[channel].routes[m]}
        for replica in self.addressed(routed):
            msgs = {m for m in kept if self.sent_to(channel, m, replica)}
            self.send_all(channel, msgs, replica)
        self.transactions[channel].commit()
        self.settle_collected(channel)


class TransientCommit(Confirms):
    """Takes for transient what is committed together (A13.3, C1)."""

    @handler
    def commit(self, channel: ChannelId) -> None:
        """Spare the disk."""
        batch = set(self.transactions[channel].batch)
        if len(batch) > 1:
            self.persistent -= batch
        super().commit(channel)


class CopyIsNowhere(Confirms):
    """Publishes a transient message again to no queue (C5.3)."""

    @action(fair="weak")
    def publish_again(self, msg: Msg, copied: Msg) -> None:
        """Find no queue."""
        require(self.retrying and copied in self.retrier.due)
        lasts = copied in self.persistent
        targets = {q for q in self.retrier.routes[copied] if self.exists(q) and lasts}
        mandatory = copied in self.retrier.mandatory
        self.process_publish(msg, targets, mandatory, lasts)
        self.retrier.repeat(msg, copied)


class RefusesReturns(Confirms):
    """Lets go of what comes back to a queue with a limit (B7.2)."""

    @action
    def requeue(self, msg: Msg, replica: Replica) -> None:
        """Suppose that it is too much."""
        require(self.consumers and self.replicas[replica].leads())
        require(msg in self.replicas[replica].pending)
        if self.replicas[replica].limited:
            self.replicas[replica].acknowledge(msg)
            self.replicas[replica].displace({msg})
            self.leaves(msg, replica)
        else:
            self.replicas[replica].requeue(msg)


class AcksAll(Confirms):
    """Takes the ack of an unnamed consumer for all that others have (B7.1)."""

    @action
    def acknowledge(self, msg: Msg, replica: Replica) -> None:
        """Let all of it go."""
        require(self.consumers and self.replicas[replica].leads())
        require(msg in self.replicas[replica].pending)
        pending = set(self.replicas[replica].pending)
        for one in pending:
            self.replicas[replica].acknowledge(one)
            self.leaves(one, replica)
        self.replicas[replica].displace(pending)


class NothingIsEmpty(Confirms):
    """Tells who asks an empty queue that another one is empty (F3.5)."""

    @action
    def get_empty(self, channel: ChannelId, replica: Replica) -> None:
        """Answer for whoever is empty."""
        require(self.heeds(channel) and self.replicas[replica].leads() and self.reaches(replica))
        empty = {r for r in Replica if self.replicas[r].leads() and not self.replicas[r].ready}
        other = min(empty, default=None)
        require(other is not None)
        self.fetching.add(channel)
        if other is not None:
            self.consuming[channel].answer_empty(self.replicas[other].of)


class EmptyAgain(Confirms):
    """Says of a queue that is to hand out a message again that it is empty (F1.1)."""

    @action
    def get(self, channel: ChannelId, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """Answer that there is nothing."""
        require(self.heeds(channel) and self.replicas[replica].leads() and self.reaches(replica))
        require(self.replicas[replica].head() == msg)
        again = msg in self.replicas[replica].delivered
        queue = self.replicas[replica].of
        self.fetching.add(channel)
        if again:
            self.consuming[channel].answer_empty(queue)
        else:
            self.consuming[channel].answer(msg, replica, queue, again, no_ack)
            self.part_with(msg, replica, no_ack)


class OneConsumerOnly(Confirms):
    """Starts no second consumer of a queue (F2.2)."""

    @action
    def consume(self, consumer: Consumer, replica: Replica) -> None:
        """Find that one is enough."""
        require(self.heeds(Consumer.owner(consumer)))
        require(self.subscriptions[consumer].of == self.replicas[replica].of)
        require(self.replicas[replica].leads() and self.reaches(replica))
        if not any(self.subscriptions[c].at == replica for c in Consumer):
            self.subscriptions[consumer].start(replica)


class StaysSubscribed(Confirms):
    """Keeps a channel of consumers open that has nothing to give back (F3.2)."""

    @fault
    def close_consumers(self, channel: ChannelId) -> None:
        """Find that there is nothing to do."""
        require(self.tagged and not self.shared and self.consuming[channel].open)
        if self.consuming[channel].unacked:
            self.end_consumers(channel)


class DeclaresLater(Confirms):
    """Declares no queue while a channel waits (A9.5)."""

    @action
    def declare(self, queue: Queue) -> None:
        """Say that it is there."""
        require(any(self.replicas[r].of == queue and self.name_is_free(r) for r in Replica))
        waits = any(bool(self.channels[c].unconfirmed) for c in ChannelId)
        for replica in Replica:
            if self.replicas[replica].of == queue and not waits:
                self.replicas[replica].declare()


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
ASKING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(PublishesTransient, "PersistentAsAsked", "tiny"),
        _case(PublishesPersistent, "PersistentAsAsked", "tiny"),
        _case(PlainIsTransient, "PersistentAsAsked", "plain_passing"),
        _case(TransactsTransient, "PersistentAsAsked", "transactions"),
        _case(OneQueueOnly, "RoutedAsAsked", "fanout"),
        _case(NeverMandatory, "ReturnedAsAsked", "tiny"),
        _case(AlwaysMandatory, "ReturnedAsAsked", "tiny"),
        _case(ReturnsUnasked, "ReturnedOnlyIfAsked", "tiny"),
        _case(LaxTransaction, "BatchedAsAsked", "transactions"),
        _case(RoutesLate, "RoutedAtOnce", "commit_renewed"),
        _case(TransactsInstead, "SelectBeginsConfirms", "modes"),
        _case(ConfirmsInstead, "TxSelectBeginsTransactions", "modes"),
        _case(RollsForward, "RollbackSendsNothing", "transactions"),
        _case(GetsTheOtherWay, "FetchedAsAsked", "separate"),
        _case(RequeueIsAck, "GivenBackIsReady", "small"),
        _case(AckIsRequeue, "AcknowledgedIsGone", "small"),
        _case(SpareCommit, "CommittedAsRouted", "transactions"),
        _case(TransientCommit, "PersistentStays", "transactions"),
        _case(CopyIsNowhere, "RoutedAgain", "retried"),
        _case(RefusesReturns, "GivenBackIsReady", "overfull"),
        _case(AcksAll, "OthersStayPending", "small"),
        _case(NothingIsEmpty, "EmptyAsAsked", "neighbours"),
        _case(EmptyAgain, "FetchedIsNotReady", "separate"),
        _case(OneConsumerOnly, "StartedAsAsked", "prefetch"),
        _case(StaysSubscribed, "ConsumersClosedIsNotOpen", "separate"),
        _case(DeclaresLater, "DeclaredIsThere", "redeclared"),
        _case(CancelsNothing, "CancelledIsStopped", "shared_cancel"),
        _case(ClosesTransactions, "ClosedIsNotOpen", "small"),
        _case(DeletesTheMaster, "DeletedIsGone", "lost_mirror"),
    )
}
