"""A crashed queue nacks its share of a message, and another confirms the rest (G-B11).

Up to 2.8.1 the channel nacked a message when one of its queues crashed, but took only that queue
out of what it waited for.  When the other queue confirmed, the message was settled a second time,
the other way.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, handler
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg, Replica


class ForgetfulChannel(Channel):
    """A channel that does not remember having rejected a message."""

    @handler
    def reject(self, seq: Msg, replica: Replica) -> None:
        """Reject the message, and go on waiting for its other queues."""
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq].discard(replica)
            self.rejected.add(seq)


design = Design(
    claim="A crash concerns the crashed queue's share of a message.",
    source="G-B11: RabbitMQ before 2.8.2, commit 8000d98857",
    replace=(ForgetfulChannel,),
    expect=(
        Holds("small"),
        Breaks("EachMessageHasOnePlace", "slow_refused", 4),
        Breaks("NeverBothAckAndNack", "fanout", 7),
    ),
)
