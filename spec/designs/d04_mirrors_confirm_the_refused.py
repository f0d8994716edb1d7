"""A mirror confirms a message that the master has refused (G-D4).

A full queue's master rejects a message and has its mirrors forget it; they confirm it, as they
confirm whatever is dealt with (B5.6, D4.10).  The channel nacks, because the reject of one decides
for all.  If the master's node goes down before its reject arrives, only the confirms are left, and
the message is acked.  It is nowhere (D6.3).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Seen


class AgreeableProcess(QueueProcess):
    """A mirror that confirms whatever the master has dealt with."""

    @handler
    def reply(self, msg: Msg, fate: Seen, confirming: bool) -> None:
        """Confirm; the reject is the master's business."""
        if confirming:
            self.outbox.add(msg)


design = Design(
    claim="One reject is enough, so the master sends it.",
    source="G-D4: RabbitMQ 3.7 to 3.13",
    replace=(AgreeableProcess,),
    expect=(
        Breaks("AckMeansAccepted", "slow_refused", 9),
        Breaks("AckedIsAvailable", "slow_refused", 10),
    ),
)
