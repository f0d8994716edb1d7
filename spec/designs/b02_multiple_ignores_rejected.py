"""An ack with `multiple` covers a message that the same flush rejects (G-B02).

In 3.7.0 to 3.7.14 the cutoff for `multiple` was the smallest unconfirmed number.  A rejected
message is not unconfirmed any more, and not told yet either: a later ack with `multiple` covers it,
and then its own nack arrives.  It takes two acks, since a lone ack is never multiple (A11.2).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, Option, Set, helper
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg


class HastyChannel(Channel):
    """A channel that looks at one half of the flush only."""

    @helper
    def cutoff(self, others: Set[Msg]) -> Option[Msg]:
        """Only what is unconfirmed limits `multiple`."""
        return min(self.unconfirmed, default=None)


design = Design(
    claim="`multiple` may cover everything below the smallest unconfirmed number.",
    source="G-B02: RabbitMQ 3.7.0 to 3.7.14, PR #1719",
    replace=(HastyChannel,),
    expect=(
        Holds("small"),
        Breaks("NeverBothAckAndNack", "trio", 7),
        Breaks("MultipleIsExact", "trio", 7),
    ),
)
