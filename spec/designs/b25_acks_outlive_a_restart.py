"""What was delivered before a queue started again is settled in the queue after it (G-B25, F1.7).

A delivery tag stands for a message of a process.  Since 3.9 channels find a queue by its name, so
an ack of something that the process before the crash had handed out reaches the one that has taken
its place, and settles there what somebody else has.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, handler
from ackproof.spec.consumer import ConsumerChannel
from ackproof.spec.sorts import Replica


class FaithfulChannel(ConsumerChannel):
    """A channel that does not ask which life of a queue a delivery is from."""

    @handler
    def orphan(self, replicas: Set[Replica]) -> None:
        """Keep what came from the process that has ended, as its successor's."""


design = Design(
    claim="A queue that is there again takes acks of what it had handed out.",
    source="G-B25: RabbitMQ 3.9, issues 4004, 4304, 4305",
    replace=(FaithfulChannel,),
    expect=(Breaks("EachCopyHasOnePlace", "bereaved", 5),),
)
