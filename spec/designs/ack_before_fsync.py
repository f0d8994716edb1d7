"""Write, confirm, and never sync.

The second classic queue (3.10 to 3.13 on request, the only one since 4.0) flushes its buffers with
write(2) when its timer fires, and confirms what it has flushed; it syncs when it is stopped cleanly
and at no other time.  Twenty persistent confirms cost it no fsync at all (C3.4, X4, X5).

A crash of the queue or of the node does it no harm (INV-C4).  When the power fails, acked messages
are gone.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, handler, require
from ackproof.spec.sorts import Level, Msg
from ackproof.spec.store import Store


class UnsyncedStore(Store):
    """A store whose timer writes and does not sync."""

    @handler
    def sync(self, msg: Msg) -> None:
        """Hand the message to the kernel, and confirm it."""
        require(self.level[msg] == Level.BUFFERED or self.level[msg] == Level.WRITTEN)
        self.level[msg] = Level.WRITTEN
        self.confirm(msg)


design = Design(
    claim="What the kernel has is as good as on disk.",
    source="classic queue v2, RabbitMQ 3.10 and later (C6.2)",
    replace=(UnsyncedStore,),
    expect=(
        Holds("tiny", "ConfirmedSurvives"),
        Breaks("NoAckBeforeDurable", "tiny", 7),
        Breaks("ConfirmedSurvives", "power", 8),
    ),
)
