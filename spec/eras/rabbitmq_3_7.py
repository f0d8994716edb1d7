"""RabbitMQ 3.7 (3.7.15 and later): silence is consent, and returns may come late.

A channel waits for processes, and a process that is gone without having crashed is waited for no
longer: with the last one the message is confirmed, whatever has become of it (A8.1, A9, A9.1,
D8 L7, G-B01).

A mandatory message is returned not only when it is unroutable, but also when all processes that it
was sent to are gone before any of them said that it had received it (A6.3, INV-A3').

A promoted master records whom to confirm before it looks for duplicates, so it does not forget
(B1.1, D6.2).  The limit it still looks at first (B1.2, D6.4).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Map, Set, action, fault, handler, helper, require
from ackproof.spec.eras.rabbitmq_3_9 import Channel39
from ackproof.spec.eras.rabbitmq_3_10 import Confirms310
from ackproof.spec.eras.rabbitmq_4_3 import ThriftyCourier
from ackproof.spec.instances import DEAD_LETTERING
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import ChannelId, Msg, Queue, Reason, Replica, Seen


class Channel37(Channel39):
    """A channel that waits for processes, whichever queue they belong to."""

    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """A process has confirmed; the last one confirms the message (A8.1)."""
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq].discard(replica)
            if not self.unconfirmed[seq]:
                self.confirmed.add(seq)

    @handler
    def process_down(self, replica: Replica, reason: Reason, siblings: Set[Replica]) -> None:
        """A process is gone, and what waited for it only is confirmed (A9)."""
        if reason == Reason.ABNORMAL:
            self.reject_pending(replica)
        else:
            for seq in set(self.unconfirmed):
                self.settle(seq, replica, siblings)

    @handler
    def reject_pending(self, replica: Replica) -> None:
        """A crash rejects what the process had not confirmed (A9, A9.4)."""
        for seq in set(self.unconfirmed):
            self.reject(seq, replica)


class QueueProcess37(QueueProcess):
    """A process that confirms what the master has refused."""

    @handler
    def reply(self, msg: Msg, fate: Seen, confirming: bool) -> None:
        """Confirm what the master has dealt with, refused or not (B5.6, D4.3, D4.10)."""
        if confirming:
            self.outbox.add(msg)


class Confirms37(Confirms310):
    """Receipts for mandatory messages (A6.3)."""

    unreceived: Map[Msg, Set[Replica]]  # mandatory messages that nobody has received yet
    receipts: Map[Replica, Set[Msg]]  # casts on their way to the channels of these messages

    @handler
    def process_publish(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """Watch over a mandatory message until somebody has received it (A6.3)."""
        super().process_publish(msg, targets, mandatory, persistent)
        if mandatory:
            found = {q for q in targets if self.found(q)}
            self.unreceived[msg] = set(self.addressed(found))

    @helper
    def outlived(self, channel: ChannelId, replica: Replica) -> bool:
        """Whoever ends normally is gone, and that is all there is to it (A9, A9.5)."""
        return False

    @handler
    def acknowledge_receipt(self, msg: Msg, replica: Replica) -> None:
        """A process tells a channel that it has a mandatory message (A6.3, B1.1)."""
        if msg in self.unreceived:
            self.receipts[replica].add(msg)

    @action(fair="weak")
    def deliver(self, msg: Msg, replica: Replica) -> None:
        """A master receives a message, says so, and takes it in (B1.1)."""
        super().deliver(msg, replica)
        self.acknowledge_receipt(msg, replica)

    @handler
    def hand_past(self, msg: Msg, replica: Replica) -> None:
        """It says so too if a consumer takes it at once (B1.1)."""
        super().hand_past(msg, replica)
        self.acknowledge_receipt(msg, replica)

    @action(fair="weak")
    def deliver_to_mirror(self, msg: Msg, replica: Replica) -> None:
        """A mirror says so too (A6.3)."""
        super().deliver_to_mirror(msg, replica)
        self.acknowledge_receipt(msg, replica)

    @action(fair="weak")
    def receipt_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """A channel hears that mandatory messages of its were received (A6.3)."""
        received = set(self.of_channel(self.receipts[replica], channel))
        require(bool(received) and self.reaches(replica))
        for msg in received:
            self.unreceived[msg].clear()
        self.receipts[replica] -= received

    @action(fair="weak")
    def down_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """Return what nobody has received and nobody is left to receive, then settle (A6.3, A9)."""
        require(self.casts[channel].downs[replica] is not None)
        require(not self.last_words(channel, replica))
        last = {m for m in Msg.of(channel) if self.unreceived[m] == {replica}}
        for msg in sorted(last):
            self.channels[channel].give_back(msg)
        for msg in Msg.of(channel):
            self.unreceived[msg].discard(replica)
        super().down_arrives(channel, replica)

    @handler
    def close_channel(self, channel: ChannelId) -> None:
        """Forget that, too (A14.1)."""
        super().close_channel(channel)
        for msg in Msg.of(channel):
            self.unreceived[msg].clear()

    @helper
    def receipts_wait(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether receipts of a process are on their way to a channel (A6.3)."""
        return bool(self.of_channel(self.receipts[replica], channel))

    @action(fair="weak")
    def confirm_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """Receipts arrive before anything about confirming (A6.3)."""
        require(not self.receipts_wait(channel, replica))
        super().confirm_arrives(channel, replica)

    @action(fair="weak")
    def reject_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """Receipts arrive before rejects, too (A6.3)."""
        require(not self.receipts_wait(channel, replica))
        super().reject_arrives(channel, replica)

    @helper
    def last_words(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether a channel has still to hear what a process has sent (O1)."""
        waiting = self.receipts_wait(channel, replica) and not self.given_up(replica)
        return waiting or super().last_words(channel, replica)

    @fault
    def lose_node(self, replica: Replica) -> None:
        """What a process had sent is lost with its node (C5)."""
        super().lose_node(replica)
        self.receipts[replica].clear()


design = Design(
    claim="A process that is gone and has not crashed has nothing to say against a message.",
    source="RabbitMQ 3.7.15 to 3.7.28",
    replace=(Channel37, QueueProcess37, ThriftyCourier, Confirms37),
    leaves_out=DEAD_LETTERING,
    expect=(
        Breaks("UnroutableIsConfirmed", "crowded", 6),
        Breaks("NoPhantomConfirm", "core", 4),
        Breaks("SequenceIsDense", "core", 2),
        Breaks("MultipleIsExact", "trio", 5),
        Breaks("ReturnPrecedesNack", "core", 7),
        Breaks("ReturnedIsUnroutable", "core", 4),
        Breaks("NoAckFromMinority", "partition", 6),
        Breaks("NoNackFromMinority", "ended_apart", 8),
        Breaks("NoCommitFromMinority", "commit_across", 6),
        Breaks("NackOnlyWithCause", "core", 6),
        Breaks("AckMeansAccepted", "tiny", 5),
        Breaks("NoQueueIsOverlooked", "tiny", 4),
        Breaks("NoAckBeforeDurable", "tiny", 5),
        Breaks("ConfirmedSurvives", "tiny", 5),
        Breaks("AckedIsAvailable", "promotion", 12),
        Breaks("CastMeansPresent", "limits", 9),
        Breaks("PromotedIsSynchronised", "promotion", 10),
        Breaks("AckedIsVouchedFor", "promotion", 5),
        Breaks("EveryPublisherHears", "core", 4),
        Breaks("EveryCopyIsMatched", "plain", 7),
        Breaks("EachMessageHasOnePlace", "core", 3),
        Breaks("CommitMeansAccepted", "shared", 7),
        Breaks("NoCommitBeforeDurable", "shared", 7),
        Breaks("CommittedSurvives", "shared", 7),
        Breaks("NoAssertionFails", "plain", 6),
        Breaks("NothingIsGivenUp", "retried", 3),
        Breaks("DoneMeansArrived", "retried", 6),
        Breaks("ReturnPrecedesAck", "roomless", 8),
        Breaks("OnlyWhatIsAskedForIsConfirmed", "redeclared", 4),
        Breaks("OnlyWhoDropsMakesRoom", "overfull", 11),
        Breaks("AckedIsNotRefused", "parted_refusing", 8),
    ),
)
