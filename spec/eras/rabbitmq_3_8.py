"""RabbitMQ 3.8: as 3.9, with another table of what is unconfirmed.

The channel keeps, for each message, the processes that are still to answer, and for each queue
whether one of its processes has confirmed (A7.3, A8.2).  When the last process has answered or
gone, the message is confirmed if each queue has.  There is one exception: if that last one went
normally, its queue was deleted, and the message is confirmed in any case (A9).  So it is, too, when
a mirror stops that must not be promoted (D8 L13), which is a normal end as well.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, action, handler, helper
from ackproof.spec.eras.rabbitmq_3_9 import Channel39
from ackproof.spec.eras.rabbitmq_3_10 import Confirms310
from ackproof.spec.eras.rabbitmq_3_11 import QueueProcess311
from ackproof.spec.eras.rabbitmq_4_3 import ThriftyCourier
from ackproof.spec.instances import DEAD_LETTERING
from ackproof.spec.sorts import ChannelId, Msg, Reason, Replica


class Channel38(Channel39):
    """A channel that decides when the last process of a message is heard of or gone."""

    failed: Set[Msg]  # those of which some queue is gone and has not confirmed

    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """A process has confirmed, and its queue with it (A8.2)."""
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq].discard(replica)
            self.vouched[seq].add(replica)
            if not self.unconfirmed[seq]:
                self.decide(seq)

    @handler
    def decide(self, seq: Msg) -> None:
        """Nobody is left to answer (A8.2, A9)."""
        self.vouched[seq].clear()
        if seq in self.failed:
            self.failed.discard(seq)
            self.rejected.add(seq)
        else:
            self.confirmed.add(seq)

    @handler
    def reject(self, seq: Msg, replica: Replica) -> None:
        """One process rejects for all (A8.4)."""
        super().reject(seq, replica)
        self.failed.discard(seq)

    @handler
    def process_down(self, replica: Replica, reason: Reason, siblings: Set[Replica]) -> None:
        """A process is gone (A9, column 3.8)."""
        for seq in set(self.unconfirmed):
            if replica in self.unconfirmed[seq]:
                if reason == Reason.ABNORMAL:
                    self.reject(seq, replica)
                else:
                    self.do_without(seq, replica, siblings, reason == Reason.NORMAL)

    @handler
    def do_without(self, seq: Msg, replica: Replica, siblings: Set[Replica], normal: bool) -> None:
        """Wait for the others; the end of the last one decides, and a normal one confirms (A9)."""
        self.unconfirmed[seq].discard(replica)
        if not (self.unconfirmed[seq] | self.vouched[seq]) & siblings:
            self.failed.add(seq)
        if not self.unconfirmed[seq]:
            if normal:
                self.failed.discard(seq)
            self.decide(seq)

    @handler
    def close(self) -> None:
        """Forget that too (A14.1)."""
        super().close()
        self.failed.clear()


class Confirms38(Confirms310):
    """A confirm can be what makes a message rejected, and the end of a mirror what confirms it."""

    @helper
    def outlived(self, channel: ChannelId, replica: Replica) -> bool:
        """Whoever ends normally was its queue's process (A9.5)."""
        return False

    @action(fair="weak")
    def confirm_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """See whether a commit has failed by it (A8.2, A13.5)."""
        super().confirm_arrives(channel, replica)
        self.note_rejects(channel)

    @helper
    def normal_end(self, replica: Replica) -> Reason:
        """Take the normal end of any process for that of its queue (A9, D8 L13)."""
        return Reason.NORMAL


design = Design(
    claim="When nobody is left to answer, what was heard so far decides.",
    source="RabbitMQ 3.8",
    replace=(Channel38, QueueProcess311, ThriftyCourier, Confirms38),
    leaves_out=DEAD_LETTERING,
    expect=(
        Breaks("UnroutableIsConfirmed", "crowded", 6),
        Breaks("NoPhantomConfirm", "core", 4),
        Breaks("SequenceIsDense", "core", 2),
        Breaks("MultipleIsExact", "trio", 5),
        Breaks("NoAckFromMinority", "partition", 6),
        Breaks("NoNackFromMinority", "partition", 10),
        Breaks("NoCommitFromMinority", "commit_across", 6),
        Breaks("NoFailureFromMinority", "commit_across", 8),
        Breaks("NackOnlyWithCause", "core", 6),
        Breaks("AckMeansAccepted", "core", 8),
        Breaks("NoQueueIsOverlooked", "tiny", 4),
        Breaks("NoAckBeforeDurable", "core", 8),
        Breaks("ConfirmedSurvives", "core", 8),
        Breaks("AckedIsAvailable", "promotion", 12),
        Breaks("CastMeansPresent", "limits", 9),
        Breaks("PromotedIsSynchronised", "promotion", 10),
        Breaks("AckedIsVouchedFor", "late", 11),
        Breaks("EveryPublishSettles", "mirrors", 9),
        Breaks("EveryPublisherHears", "core", 4),
        Breaks("EveryCopyIsMatched", "plain", 7),
        Breaks("EachMessageHasOnePlace", "core", 3),
        Breaks("SomebodyOwesAnAnswer", "mirrors", 7),
        Breaks("CommitMeansAccepted", "transactions", 9),
        Breaks("NoCommitBeforeDurable", "transactions", 9),
        Breaks("CommittedSurvives", "transactions", 9),
        Breaks("CommitFailsOnlyWithCause", "transactions", 7),
        Breaks("NoAssertionFails", "plain", 6),
        Breaks("NothingIsGivenUp", "retried", 3),
        Breaks("EveryCommitAnswers", "commit_late", 12),
        Breaks("OnlyWhatIsAskedForIsConfirmed", "redeclared", 4),
        Breaks("OnlyWhoDropsMakesRoom", "overfull", 11),
    ),
)
