"""Deleting a queue nacks what was on its way to it (G-B10).

Before 2.6.0 any end of a queue process led to nacks.  Nothing is lost by that, but a client that
publishes again whatever was nacked does so for messages whose queue was deleted on purpose, and a
nack would not mean any more that something went wrong (A9.3, L6.6).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, helper
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Reason


class StrictChannel(Channel):
    """A channel that accepts no excuse."""

    @helper
    def counts_as_accepted(self, reason: Reason) -> bool:
        """No end of a queue is a confirm."""
        return False


design = Design(
    claim="A queue that is gone has not confirmed, whatever the reason.",
    source="G-B10: RabbitMQ before 2.6.0",
    replace=(StrictChannel,),
    expect=(Breaks("NackOnlyWithCause", "tiny", 5),),
)
