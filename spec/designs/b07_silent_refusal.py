"""A message is refused, and the mirrors are not told (G-B07).

Since 3.7 a full queue that refuses a message of a publisher without confirms just drops it (B5.4).
Its mirrors have their direct copy, and wait for a word from the master.  The next message finds the
wrong copy at the head of the line (D4.8): when the publisher asks for confirms later, this mirror
gives none.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.sorts import Msg, Replica
from ackproof.spec.system import Confirms


class SilentConfirms(Confirms):
    """A master that speaks of a refusal only where somebody waits for it."""

    @handler
    def tell_refusal(self, msg: Msg, replica: Replica) -> None:
        """Keep quiet about a message that nobody will confirm."""
        if self.confirming(msg):
            super().tell_refusal(msg, replica)


design = Design(
    claim="Nobody needs to know what became of a message that nobody waits for.",
    source="G-B07: RabbitMQ 3.7 and later, issues #9115 and #9905",
    replace=(SilentConfirms,),
    expect=(Breaks("EveryCopyIsMatched", "plain", 7),),
)
