"""A message is dealt with, and the mirrors are not told (G-B09).

Before 3.0.0 a message that expired at once, or went past the queue, was confirmed by the master,
and its mirrors never heard of it (B4.1, D2.1).  They have the direct copy and wait, and the channel
waits for them.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.sorts import Msg, Replica
from ackproof.spec.system import Confirms


class SilentConfirms(Confirms):
    """A master that does not mention what never was in its queue."""

    @handler
    def hand_past(self, msg: Msg, replica: Replica) -> None:
        """Give the message away, and tell nobody."""
        self.replicas[replica].pass_by(msg, self.confirming(msg))
        self.holders[msg].discard(self.replicas[replica].of)


design = Design(
    claim="Mirrors need to know what is in the queue, and nothing else.",
    source="G-B09: RabbitMQ before 3.0.0, commit 681b4c8c2c",
    replace=(SilentConfirms,),
    expect=(Breaks("EveryPublishSettles", "failover", 5),),
)
