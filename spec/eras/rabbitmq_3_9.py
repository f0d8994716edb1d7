"""RabbitMQ 3.9: as later, and two more.

A mandatory publish outside of confirm mode advances the channel's counter, which its client does
not know of (A4.2, G-B03); 3.10 repaired that.  And a durable queue whose node is down is not found
by routing: a message for it counts as unroutable, is returned if it is mandatory, and acked (A5.4,
D8 L7, G-B21); so it was until 3.11.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, action, fault, helper
from ackproof.spec.channel import Channel
from ackproof.spec.eras.rabbitmq_3_11 import Confirms311, QueueProcess311
from ackproof.spec.sorts import Queue, Replica


class Channel39(Channel):
    """A channel that counts mandatory publishes too."""

    @helper
    def takes_number(self, mandatory: bool) -> bool:
        """Count what has to be confirmed, and what may have to be returned (A4.2)."""
        return self.confirming or mandatory


class Confirms39(Confirms311):
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
    source="RabbitMQ 3.9",
    replace=(Channel39, QueueProcess311, Confirms39),
    expect=(
        Breaks("UnroutableIsConfirmed", "crowded", 6),
        Breaks("NoPhantomConfirm", "core", 4),
        Breaks("SequenceIsDense", "core", 2),
        Breaks("MultipleIsExact", "trio", 5),
        Breaks("NoAckFromMinority", "partition", 6),
        Breaks("NoNackFromMinority", "partition", 10),
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
        Breaks("MirrorFollowsMaster", "promotion", 11),
        Breaks("NoAssertionFails", "plain", 6),
    ),
)
