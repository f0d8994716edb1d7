"""Small mistakes in handing out, taking back and letting go: each in a step that is about another.

Whatever leaves a queue counts as consumed, so that none of these loses anything that any confirm
could be held against.
"""

from __future__ import annotations

from ackproof.lang import Design, Option, Set, action, fault, handler, helper, require
from ackproof.spec.consumer import ConsumerChannel
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Queue, Replica, Tag, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.transaction import Transaction


class BoundedUnasked(Confirms):
    """Drops the oldest message of a queue without a limit when another one arrives (B5.2)."""

    @handler
    def shorten(self, replica: Replica) -> None:
        """Keep one."""
        super().shorten(replica)
        head = self.replicas[replica].head()
        many = len(self.replicas[replica].ready) > 1
        if head is not None and many and not self.replicas[replica].limited:
            self.replicas[replica].drop(head)
            self.leaves(head, replica)
            self.replicas[replica].displace({head})


class CleanStart(Confirms):
    """Drops what is ready when a consumer starts (B4.3)."""

    @action
    def consume(self, consumer: Consumer, replica: Replica) -> None:
        """Show nothing old to somebody new."""
        super().consume(consumer, replica)
        gone = set(self.replicas[replica].ready)
        for msg in gone:
            self.replicas[replica].drop(msg)
            self.leaves(msg, replica)
        self.replicas[replica].displace(gone)


class AckedEverywhere(Confirms):
    """Drops in another queue what a consumer has acked in one (F1.4)."""

    @action
    def consumer_acks(self, channel: ChannelId, tag: Option[Tag], multiple: bool) -> None:
        """Take it that once is enough."""
        before = {m for m in Msg if any(m in self.replicas[r].pending for r in Replica)}
        super().consumer_acks(channel, tag, multiple)
        done = {m for m in before if not any(m in self.replicas[r].pending for r in Replica)}
        msg = min(done, default=None)
        other = min(
            {r for r in Replica if self.replicas[r].leads() and self.replicas[r].ready & done},
            default=None,
        )
        if msg is not None and other is not None:
            self.replicas[other].drop(msg)
            self.replicas[other].displace({msg})
            self.leaves(msg, other)


class TakesAny(Confirms):
    """Gives a consumer any message that is ready (INV-B4)."""

    @action
    def take(self, msg: Msg, replica: Replica) -> None:
        """Do not look for the oldest."""
        require(self.consumers and self.replicas[replica].leads())
        require(msg in self.replicas[replica].ready)
        self.replicas[replica].take(msg)


class ForgottenRecovery(Confirms):
    """Drops what a queue has found on its disk, as if it had expired (C5.1)."""

    @handler
    def apply_limit(self, replica: Replica) -> None:
        """Begin with nothing."""
        super().apply_limit(replica)
        gone = set(self.replicas[replica].ready)
        if not self.replicas[replica].limited and not self.mirrored(replica):
            for msg in gone:
                self.replicas[replica].drop(msg)
                self.leaves(msg, replica)
            self.replicas[replica].displace(gone)


class Heirloom(Confirms):
    """Gives a queue that is declared what the one before it had (A9.5)."""

    stash: Set[Msg]

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """Keep what was there."""
        left = {
            m
            for m in Msg
            if any(m in self.replicas[r].ready for r in Replica if self.replicas[r].of == queue)
        }
        super().delete_queue(queue)
        self.stash = set(left)

    @action
    def declare(self, queue: Queue) -> None:
        """Bring it back."""
        super().declare(queue)
        for replica in Replica:
            if self.replicas[replica].of == queue:
                self.replicas[replica].ready = set(self.stash)
        self.stash.clear()


class DeletesTwo(Confirms):
    """Deletes another queue with the one that was named (B8.5)."""

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """Take the first that is there as well."""
        super().delete_queue(queue)
        other = min({r for r in Replica if self.replicas[r].leads()}, default=None)
        if other is not None:
            super().delete_queue(self.replicas[other].of)


class RecallingChannel(Confirms):
    """Takes back what has not arrived when a channel closes (A14.4)."""

    @handler
    def shut_down(self, channel: ChannelId) -> None:
        """Clear its casts."""
        super().shut_down(channel)
        for replica in Replica:
            if not self.mirrored(replica):
                self.casts[channel].publishes[replica].clear()


class SaidTwice(ConsumerChannel):
    """Delivers what needs no ack twice, under two tags (F1.1)."""

    @handler
    def deliver(
        self, msg: Msg, replica: Replica, consumer: Consumer, redelivered: bool, no_ack: bool
    ) -> None:
        """Make sure that it was seen."""
        super().deliver(msg, replica, consumer, redelivered, no_ack)
        if no_ack and self.next_tag() is not None:
            super().deliver(msg, replica, consumer, redelivered, no_ack)


class SettledForThem(Confirms):
    """Takes what is delivered again for acked (F1.1)."""

    @action(fair="weak")
    def hand_out(self, msg: Msg, replica: Replica, consumer: Consumer) -> None:
        """Ask for acks once."""
        require(self.serves(replica, consumer) and self.replicas[replica].head() == msg)
        redelivered = msg in self.replicas[replica].delivered
        no_ack = self.subscriptions[consumer].no_ack or redelivered
        channel = Consumer.owner(consumer)
        self.consuming[channel].deliver(msg, replica, consumer, redelivered, no_ack)
        self.part_with(msg, replica, no_ack)


class ShownAndKept(Confirms):
    """Shows a message to who asks for one, and keeps it (F1.1)."""

    @action
    def get(self, channel: ChannelId, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """Let the next one have it, too."""
        require(self.heeds(channel) and self.replicas[replica].leads() and self.reaches(replica))
        require(self.replicas[replica].head() == msg)
        redelivered = msg in self.replicas[replica].delivered
        self.fetching.add(channel)
        queue = self.replicas[replica].of
        self.consuming[channel].answer(msg, replica, queue, redelivered, no_ack)


class MarksAnswers(ConsumerChannel):
    """Marks each answer to basic.get (B7.4)."""

    @handler
    def answer(
        self, msg: Msg, replica: Replica, queue: Queue, redelivered: bool, no_ack: bool
    ) -> None:
        """Be on the safe side."""
        super().answer(msg, replica, queue, True, no_ack)


class CancelTakesBack(Confirms):
    """Takes back what a consumer has when it is stopped (B7.6)."""

    @fault
    def cancel(self, consumer: Consumer) -> None:
        """Requeue it."""
        super().cancel(consumer)
        channel = Consumer.owner(consumer)
        tags = {t for t in Tag if t in self.consuming[channel].loads[consumer]}
        self.put_back(channel, tags)
        self.consuming[channel].settle(tags)


class IdleRecovery(Confirms):
    """Says recover-ok, and requeues nothing (F1.5)."""

    @action
    def recover(self, channel: ChannelId) -> None:
        """Be quick about it."""
        require(self.heeds(channel) and bool(self.consuming[channel].unacked))
        self.fetching.add(channel)
        self.consuming[channel].recovered()


class HalfRecovery(Confirms):
    """Requeues the newest delivery only (F1.5)."""

    @action
    def recover(self, channel: ChannelId) -> None:
        """Take it for the whole."""
        require(self.heeds(channel) and bool(self.consuming[channel].unacked))
        last = max(self.consuming[channel].unacked, default=None)
        newest = {t for t in self.consuming[channel].unacked if t == last}
        self.fetching.add(channel)
        self.put_back(channel, newest)
        self.consuming[channel].settle(newest)
        self.consuming[channel].recovered()


class EndedByReject(Confirms):
    """Stops a consumer that rejects a message, and does not say so (F3.3)."""

    @action
    def consumer_rejects(
        self, channel: ChannelId, tag: Option[Tag], multiple: bool, requeue: bool
    ) -> None:
        """Take it for a sign."""
        poor = {
            c
            for c in Consumer.of(channel)
            if tag is not None and tag in self.consuming[channel].loads[c]
        }
        super().consumer_rejects(channel, tag, multiple, requeue)
        for consumer in poor:
            self.subscriptions[consumer].stop()


class EndedByGet(Confirms):
    """Stops the consumers of a client that asks for a message (B7.6)."""

    @action
    def get(self, channel: ChannelId, msg: Msg, replica: Replica, no_ack: bool) -> None:
        """Let it do one or the other."""
        super().get(channel, msg, replica, no_ack)
        for consumer in Consumer.of(channel):
            if self.subscriptions[consumer].at == replica:
                self.subscriptions[consumer].stop()


class ForgetfulSelect(Transaction):
    """Begins a transaction anew when it is asked for again (A1.3)."""

    @handler
    def select(self) -> None:
        """Forget what was published."""
        if self.mode == TxMode.OPEN:
            self.forget()
        super().select()


class LatestOnly(Transaction):
    """Keeps the latest message for each set of queues (A13.1)."""

    @handler
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool) -> None:
        """Replace what was to go there."""
        for old in set(self.batch):
            if self.routes[old] == targets:
                self.batch.discard(old)
                self.mandatory.discard(old)
                self.routes[old].clear()
        super().publish(msg, targets, mandatory)


class BlockedGetsNothing(Confirms):
    """Delivers nothing on a connection that an alarm blocks (E4.2)."""

    @helper
    def serves(self, replica: Replica, consumer: Consumer) -> bool:
        """Ask the reader."""
        unread = self.shared and not self.readers[Consumer.owner(consumer)].reads()
        return super().serves(replica, consumer) and not unread


class BreaksAtNacks(Confirms):
    """Closes a channel that has nacked a message, and does not say so (A14)."""

    @action(fair="weak")
    def flush(self, channel: ChannelId) -> None:
        """Take a nack for the end."""
        nacks = bool(self.channels[channel].rejected)
        super().flush(channel)
        if nacks and self.channels[channel].unconfirmed:
            self.close_channel(channel)


def _case(mistake: type, prop: str, instance: str) -> tuple[Design, str, str]:
    return Design(claim="", replace=(mistake,)), prop, instance


#: Each mistake with the property that notices it, and an instance where it does.
HANDING_MUTANTS: dict[str, tuple[Design, str, str]] = {
    design.replace[0].__name__: (design, prop, instance)
    for design, prop, instance in (
        _case(BoundedUnasked, "ReadyIsKept", "small"),
        _case(CleanStart, "ReadyIsKept", "separate"),
        _case(AckedEverywhere, "ReadyIsKept", "neighbours"),
        _case(TakesAny, "OldestIsTaken", "small"),
        _case(ForgottenRecovery, "StartsWithAllItHad", "tiny"),
        _case(Heirloom, "DeclaredIsEmpty", "redeclared"),
        _case(DeletesTwo, "OneQueueIsDeleted", "neighbours"),
        _case(RecallingChannel, "ClosingRecallsNothing", "small"),
        _case(SaidTwice, "OneMessageAtATime", "bypassed"),
        _case(SettledForThem, "ShownIsTaken", "separate"),
        _case(ShownAndKept, "FetchedIsTaken", "separate"),
        _case(MarksAnswers, "MarkedWasFetched", "separate"),
        _case(CancelTakesBack, "CancelSettlesNothing", "shared_cancel"),
        _case(IdleRecovery, "RecoverBringsAllBack", "separate"),
        _case(HalfRecovery, "RecoverBringsAllBack", "refilled"),
        _case(EndedByReject, "ConsumersEndAlone", "refilled"),
        _case(EndedByGet, "ConsumersEndAlone", "separate"),
        _case(BreaksAtNacks, "WhoTellsStaysOpen", "trio"),
        _case(BlockedGetsNothing, "ReadyIsDelivered", "shared_alarm"),
        _case(ForgetfulSelect, "NothingFallsOut", "modes"),
        _case(LatestOnly, "NothingFallsOut", "transactions"),
    )
}
