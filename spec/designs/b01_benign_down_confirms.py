"""A queue that went away quietly counts as having confirmed (G-B01).

Before 3.8.0 the channel took the end of the last outstanding queue process for a confirm, unless
the process had crashed.  But a node that dies takes its queues along without any crash that the
channel would see: the reason is noconnection, and counts as benign.  So a publish to a node that
vanished was acked, whether or not the message had got there.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, helper
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Reason


class TrustingChannel(Channel):
    """A channel that takes silence for consent."""

    @helper
    def counts_as_accepted(self, reason: Reason) -> bool:
        """Only a crash speaks against a queue."""
        return reason != Reason.ABNORMAL


design = Design(
    claim="A queue process that ends without an error has done its duty.",
    source="G-B01: RabbitMQ before 3.8.0, PR #1893",
    replace=(TrustingChannel,),
    expect=(Breaks("AckMeansAccepted", "tiny", 5),),
)
