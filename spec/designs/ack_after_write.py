"""Confirm when every queue has written the message.

The third answer that seed 000 considers, and the one it gives: a persistent message is confirmed
when it was written, though perhaps only to the kernel, so that nothing is lost as long as the
kernel lives.

That is right in this sense: against a crash of the queue process or of the node, write(2) is as
good as fsync(2), and an acked message survives.  It is wrong in another: the machine may lose
power.  The guide promises the disk, and RabbitMQ's first classic queue does sync before it
confirms (C3.4); of its second the seed would have been right (C6.2).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, handler
from ackproof.spec.sorts import Msg
from ackproof.spec.store import Store


class EagerStore(Store):
    """A store that confirms what it has handed to the kernel."""

    @handler
    def write(self, msg: Msg) -> None:
        """Write, and confirm without waiting for the disk."""
        super().write(msg)
        self.confirm(msg)


design = Design(
    claim="A message is safe when every queue has written it.",
    source="seed 000, third answer",
    replace=(EagerStore,),
    expect=(
        Holds("tiny", "ConfirmedSurvives"),
        Breaks("NoAckBeforeDurable", "tiny", 7),
        Breaks("ConfirmedSurvives", "power", 8),
    ),
)
