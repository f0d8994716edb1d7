"""A promoted master refuses a message that it has (G-D5).

Whether a queue is full is asked first, and whether it has the message already, later (B1.3).  After
a promotion, a full queue refuses the direct copy of a message that it knows from the old master;
and to refuse what it knows trips its own assertion (D2.3, D6.4).  The process crashes, everything
that waits is nacked, and messages that were about to be confirmed are gone with the process.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.sorts import Msg, Replica
from ackproof.spec.system import Confirms


class LimitingConfirms(Confirms):
    """A master that looks at its limit first."""

    @handler
    def take_in(self, msg: Msg, replica: Replica) -> None:
        """Refuse, recognise or enqueue, in this order."""
        if self.replicas[replica].refuses():
            self.refuse(msg, replica)
        elif self.replicas[replica].recognises(msg):
            self.replicas[replica].accept_again(msg, msg in self.persistent, self.confirming(msg))
        else:
            self.enqueue(msg, replica)
            self.shorten(replica)


design = Design(
    claim="A full queue need not look any further.",
    source="G-D5: RabbitMQ 3.7 to 3.13",
    replace=(LimitingConfirms,),
    expect=(Breaks("NoAssertionFails", "slow_refused", 7),),
)
