"""RabbitMQ 3.9: as 3.10, and a channel counts what its client does not.

A mandatory publish outside of confirm mode advances the channel's counter, which its client does
not know of (A4.2, G-B03); 3.10 repaired that.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, helper
from ackproof.spec.channel import Channel
from ackproof.spec.eras.rabbitmq_3_10 import Confirms310
from ackproof.spec.eras.rabbitmq_3_11 import QueueProcess311
from ackproof.spec.eras.rabbitmq_4_3 import ThriftyCourier
from ackproof.spec.instances import DEAD_LETTERING


class Channel39(Channel):
    """A channel that counts mandatory publishes too."""

    @helper
    def takes_number(self, mandatory: bool) -> bool:
        """Count what has to be confirmed, and what may have to be returned (A4.2)."""
        return self.confirming or mandatory


design = Design(
    claim="What may come back has to be counted.",
    source="RabbitMQ 3.9",
    replace=(Channel39, QueueProcess311, ThriftyCourier, Confirms310),
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
        Breaks("AckMeansAccepted", "limits", 13),
        Breaks("NoQueueIsOverlooked", "tiny", 4),
        Breaks("NoAckBeforeDurable", "limits", 13),
        Breaks("ConfirmedSurvives", "limits", 13),
        Breaks("AckedIsAvailable", "promotion", 12),
        Breaks("CastMeansPresent", "limits", 9),
        Breaks("PromotedIsSynchronised", "promotion", 10),
        Breaks("AckedIsVouchedFor", "late", 16),
        Breaks("EveryPublishSettles", "mirrors", 9),
        Breaks("EveryPublisherHears", "core", 4),
        Breaks("EveryCopyIsMatched", "plain", 7),
        Breaks("EachMessageHasOnePlace", "core", 3),
        Breaks("SomebodyOwesAnAnswer", "mirrors", 7),
        Breaks("NoAssertionFails", "plain", 6),
        Breaks("NothingIsGivenUp", "retried", 3),
        Breaks("EveryCommitAnswers", "commit_late", 12),
        Breaks("OnlyWhatIsAskedForIsConfirmed", "redeclared", 4),
        Breaks("OnlyWhoDropsMakesRoom", "overfull", 11),
    ),
)
