"""RabbitMQ 3.6: as 3.7, and nacks do not wait.

When a process crashes, the nacks leave in the same step, before the acks that wait for the next
flush.  A nack with `multiple` then covers messages that are confirmed and not told yet, and their
ack follows (A9.4, A11.6, G-D2).  The cutoff for `multiple` looks at what is unconfirmed and at
nothing else (A11.3).

There is no reject-publish (B1.1): a full queue drops its oldest message.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Option, Set, handler, helper
from ackproof.spec.eras.rabbitmq_3_7 import Channel37, Confirms37, QueueProcess37
from ackproof.spec.eras.rabbitmq_4_3 import ThriftyCourier
from ackproof.spec.instances import DEAD_LETTERING
from ackproof.spec.sorts import Msg, Replica


class Channel36(Channel37):
    """A channel that nacks at once."""

    @helper
    def cutoff(self, others: Set[Msg]) -> Option[Msg]:
        """Only what is unconfirmed limits `multiple` (A11.3)."""
        return min(self.unconfirmed, default=None)

    @handler
    def reject_pending(self, replica: Replica) -> None:
        """Reject what the crashed process had not confirmed, and say so now (A9.4).

        In a transaction there is nothing to say before the commit (A13.5).
        """
        super().reject_pending(replica)
        if self.confirming:
            self.send_nacks()
            self.nacked |= self.rejected
            self.rejected.clear()


class QueueProcess36(QueueProcess37):
    """A process that never refuses a message."""

    @helper
    def refuses(self) -> bool:
        """There is no such setting yet (B5.4)."""
        return False

    @helper
    def overflows(self) -> bool:
        """A full queue makes room, whatever it is told (B5.2)."""
        return self.limited and len(self.ready) > self.max_length


design = Design(
    claim="A nack cannot wait, and an ack can.",
    source="RabbitMQ 3.6",
    replace=(Channel36, QueueProcess36, ThriftyCourier, Confirms37),
    leaves_out=DEAD_LETTERING,
    expect=(
        Breaks("NoPhantomConfirm", "core", 4),
        Breaks("SequenceIsDense", "core", 2),
        Breaks("SettledOnce", "core", 6),
        Breaks("NeverBothAckAndNack", "core", 6),
        Breaks("MultipleIsExact", "core", 5),
        Breaks("LoneAckIsSingle", "trio", 7),
        Breaks("ReturnPrecedesNack", "core", 6),
        Breaks("ReturnedIsUnroutable", "core", 4),
        Breaks("NoAckFromMinority", "partition", 6),
        Breaks("NoCommitFromMinority", "commit_across", 6),
        Breaks("UnroutableIsConfirmed", "core", 5),
        Breaks("NackOnlyWithCause", "core", 5),
        Breaks("AckMeansAccepted", "tiny", 5),
        Breaks("NoQueueIsOverlooked", "tiny", 4),
        Breaks("NoAckBeforeDurable", "tiny", 5),
        Breaks("ConfirmedSurvives", "tiny", 5),
        Breaks("AckedIsAvailable", "promotion", 12),
        Breaks("PromotedIsSynchronised", "promotion", 10),
        Breaks("AckedIsVouchedFor", "promotion", 5),
        Breaks("EveryPublisherHears", "core", 4),
        Breaks("EachMessageHasOnePlace", "core", 3),
        Breaks("CommitMeansAccepted", "shared", 7),
        Breaks("NoCommitBeforeDurable", "shared", 7),
        Breaks("CommittedSurvives", "shared", 7),
        Breaks("NothingIsGivenUp", "retried", 3),
        Breaks("DoneMeansArrived", "retried", 6),
        Breaks("RepeatedForACause", "retried", 7),
        Breaks("ReturnPrecedesAck", "roomless", 8),
        Breaks("OnlyWhatIsAskedForIsConfirmed", "redeclared", 4),
        Breaks("OnlyWhoDropsMakesRoom", "plain", 4),
        Breaks("HeldUntilSettled", "refilled", 7),
        Breaks("DeliveredToWhoConsumes", "refusing", 4),
        Breaks("FullTakesNothing", "commit_refused", 3),
        Breaks("GivenBackIsReady", "overfull", 7),
    ),
)
