"""Copies are dropped: a queue that has had a message confirms its copy, and does not store it.

The node remembers which messages a queue has had.  A program publishes a message again that was
nacked, or not answered, and says of which message it is a copy; the queue has had that, and says
so at once.  But what it has had it may have lost: its process crashed before the message was on
disk, which is why it was nacked.

To drop copies is to answer for the original: with the confirm for a copy the queue must wait until
the original is on disk, and take the copy if the original is gone.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, handler
from ackproof.spec.sorts import Msg, Replica
from ackproof.spec.system import Confirms


class ConfirmsDroppingCopies(Confirms):
    """Remembers what has arrived at a queue, whatever becomes of it there."""

    arrived: Set[Msg]

    @handler
    def take_in(self, msg: Msg, replica: Replica) -> None:
        """Confirm a copy of what has arrived before, and forget it (C5.3)."""
        original = self.retrier.original[msg]
        if original is not None and original in self.arrived:
            self.replicas[replica].pass_by(msg, self.confirming(msg))
        else:
            super().take_in(msg, replica)
            self.arrived.add(msg)


design = Design(
    claim="No message is in a queue twice, though its publisher may publish it twice.",
    source="plugins that drop duplicates by a header; rule C5.3 for RabbitMQ itself",
    replace=(ConfirmsDroppingCopies,),
    expect=(Breaks("DoneMeansArrived", "retried", 11),),
)
