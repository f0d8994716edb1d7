"""RabbitMQ 3.10, up to 3.10.9: as 3.11, and a queue that cannot be reached is not there.

A durable queue whose node is down is not found by routing: a message for it counts as unroutable,
is returned if it is mandatory, and acked (A5.4, D8 L7, G-B21); so it was until 3.11.

A publish costs two credits towards a mirror, as it should; that it costs one came with 3.10.10
(E3.2).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, action, fault, helper
from ackproof.spec.eras.rabbitmq_3_11 import Confirms311, QueueProcess311
from ackproof.spec.eras.rabbitmq_4_3 import ThriftyCourier
from ackproof.spec.sorts import Queue, Replica


class Confirms310(Confirms311):
    """Routing by the records of queues that are alive."""

    off: Set[Replica]  # processes without mirrors whose node is down

    @fault
    def lose_node(self, replica: Replica) -> None:
        """The record of a queue goes with its node, unless it has mirrors (A5.4)."""
        super().lose_node(replica)
        if not self.mirrored(replica):
            self.off.add(replica)

    @action(fair="weak")
    def restart(self, replica: Replica) -> None:
        """It comes back with the process (A5.4)."""
        super().restart(replica)
        self.off.discard(replica)

    @helper
    def found(self, queue: Queue) -> bool:
        """Tell whether a queue has a record now (A5.4)."""
        return all(r not in self.off for r in Replica if self.replicas[r].of == queue)


design = Design(
    claim="A queue that cannot be reached need not be waited for.",
    source="RabbitMQ 3.10.0 to 3.10.9",
    replace=(QueueProcess311, ThriftyCourier, Confirms310),
    expect=(
        Breaks("NackOnlyWithCause", "redeclared", 7),
        Breaks("AckMeansAccepted", "limits", 13),
        Breaks("NoQueueIsOverlooked", "tiny", 4),
        Breaks("ConfirmedSurvives", "limits", 13),
        Breaks("AckedIsAvailable", "promotion", 12),
        Breaks("SomebodyOwesAnAnswer", "fanout_mirrors", 7),
        Breaks("CastMeansPresent", "limits", 9),
        Breaks("AckedIsVouchedFor", "late", 16),
        Breaks("NoAckFromMinority", "divided", 6),
        Breaks("NoNackFromMinority", "divided", 7),
        Breaks("NoCommitFromMinority", "commit_across", 6),
        Breaks("NoFailureFromMinority", "commit_across", 8),
        Breaks("NoAckBeforeDurable", "limits", 13),
        Breaks("PromotedIsSynchronised", "promotion", 10),
        Breaks("EveryPublishSettles", "fanout_mirrors", 9),
        Breaks("EveryPublisherHears", "fanout_mirrors", 9),
        Breaks("EveryCopyIsMatched", "plain", 7),
        Breaks("NoAssertionFails", "plain", 6),
        Breaks("EveryCommitAnswers", "commit_late", 12),
        Breaks("OnlyWhoDropsMakesRoom", "overfull", 11),
        Breaks("DeadArePassedOn", "dead_letters_split", 13),
    ),
)
