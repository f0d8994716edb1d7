"""A queue hands out the least number first, whichever channel it counts on.

Numbers count on a channel (A4.3), and say nothing about which of two messages of different channels
came first.  A queue that goes by them lets a message overtake all that came before it from
elsewhere (B7.2, INV-B4).  With one channel, numbers are the order of arrival.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, Option, helper
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg


class NumberingProcess(QueueProcess):
    """A queue without an order of its own."""

    @helper
    def head(self) -> Option[Msg]:
        """Return the message with the least number."""
        return min(self.ready, default=None)


design = Design(
    claim="Messages are numbered, so a queue need not remember in which order they came.",
    source="INV-B4, for several channels [derived]",
    replace=(NumberingProcess,),
    expect=(
        Holds("small"),
        Breaks("ServedInOrderOfArrival", "channels", 7),
    ),
)
