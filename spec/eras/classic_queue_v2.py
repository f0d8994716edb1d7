"""Classic queues version 2, on RabbitMQ 3.11 to 3.13: no fsync.

The second version of the classic queue's store keeps small messages in files of its own, and
confirms what it has flushed.  A timer writes, and does not sync; it syncs when it is stopped
cleanly and at no other time (C6.1, C6.2).  What is confirmed survives the crash of a process, and
not that of the machine (D8 L9, INV-C4).  Everything else is as in 3.11.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design
from ackproof.spec.eras.rabbitmq_3_11 import Confirms311, QueueProcess311
from ackproof.spec.eras.rabbitmq_4_3 import Store2, ThriftyCourier

design = Design(
    claim="What the kernel has is as good as on disk.",
    source="classic queues version 2, RabbitMQ 3.11 to 3.13",
    replace=(Store2, QueueProcess311, ThriftyCourier, Confirms311),
    constants={"Confirms.mirror_cost": 1},
    expect=(
        Breaks("NoAckFromMinority", "partition", 6),
        Breaks("NoNackFromMinority", "partition", 10),
        Breaks("NoCommitFromMinority", "commit_across", 6),
        Breaks("NoFailureFromMinority", "commit_across", 8),
        Breaks("NackOnlyWithCause", "redeclared", 7),
        Breaks("AckMeansAccepted", "limits", 13),
        Breaks("CastMeansSynced", "core", 5),
        Breaks("NoAckBeforeDurable", "core", 7),
        Breaks("ConfirmedSurvives", "power", 8),
        Breaks("AckedIsAvailable", "promotion", 12),
        Breaks("CastMeansPresent", "limits", 9),
        Breaks("PromotedIsSynchronised", "promotion", 10),
        Breaks("AckedIsVouchedFor", "late", 16),
        Breaks("EveryPublishSettles", "mirrors", 9),
        Breaks("EveryPublisherHears", "mirrors", 9),
        Breaks("EveryCopyIsMatched", "plain", 7),
        Breaks("SomebodyOwesAnAnswer", "mirrors", 7),
        Breaks("ConfirmedByStoreIsSafe", "core", 4),
        Breaks("NoCommitBeforeDurable", "shared", 8),
        Breaks("CreditIsConserved", "mirror_credit", 4),
        Breaks("NoExcessCredit", "mirror_credit", 7),
        Breaks("NoAssertionFails", "plain", 6),
        Breaks("EveryCommitAnswers", "commit_late", 12),
        Breaks("OnlyWhoDropsMakesRoom", "overfull", 11),
        Breaks("DeadArePassedOn", "dead_letters_split", 13),
    ),
)
