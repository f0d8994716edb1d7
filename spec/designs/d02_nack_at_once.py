"""A nack with `multiple` covers messages that are confirmed and not told (G-D2).

In 3.6 the crash of a queue is answered with nacks in the same step, while acks wait for the next
flush (A9.4).  The cutoff for `multiple` is the smallest unconfirmed number, and what waits to be
acked is not unconfirmed (A11.6).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Option, Set, handler, helper
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg, Reason, Replica


class PromptChannel(Channel):
    """A channel that nacks at once."""

    @helper
    def cutoff(self, others: Set[Msg]) -> Option[Msg]:
        """Only what is unconfirmed limits `multiple`."""
        return min(self.unconfirmed, default=None)

    @handler
    def process_down(self, replica: Replica, reason: Reason, siblings: Set[Replica]) -> None:
        """Reject, and say so before anything else."""
        super().process_down(replica, reason, siblings)
        self.send_nacks()
        self.nacked |= self.rejected
        self.rejected.clear()


design = Design(
    claim="Bad news should not wait.",
    source="G-D2: RabbitMQ 3.6",
    replace=(PromptChannel,),
    expect=(
        Breaks("MultipleIsExact", "small", 5),
        Breaks("NeverBothAckAndNack", "small", 6),
    ),
)
