"""A promoted master recognises a message before it records whom to confirm (G-D1).

From 3.8.0 to 3.13.7 the check for duplicates stands before the entry into the table of confirms
(B1.3, B1.4).  A message of which the old master had told, and whose direct copy arrives after the
promotion, is recognised and dropped, as it should be; but nobody will ever be told (D6.2).  It is
safe, and its publisher waits until the queue dies.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Seen


class HastyProcess(QueueProcess):
    """A promoted master that looks for duplicates first."""

    @handler
    def accept_again(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Drop what is known; what should be confirmed is looked up among what was recorded."""
        if self.seen[msg] != Seen.PUBLISHED:
            self.store.confirmed.add(msg)
        self.seen[msg] = Seen.ABSENT


design = Design(
    claim="A duplicate needs no bookkeeping.",
    source="G-D1: RabbitMQ 3.8.0 to 3.13.7, PR #1774",
    replace=(HastyProcess,),
    expect=(
        Breaks("SomebodyOwesAnAnswer", "mirror_scarce", 7),
        Breaks("EveryPublishSettles", "mirror_scarce", 12),
    ),
)
