"""A message that is put back is confirmed again (G-B16).

In 2010 a requeued message still carried the mark that it needs confirming, so the queue answered
for it a second time.  The channel ignores a confirm that it does not wait for (A8.1), so nobody
outside noticed; but the sequence number might as well have been another channel's.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, handler
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Level, Msg


class RepeatingQueue(QueueProcess):
    """A queue that takes a message put back for a new one."""

    @handler
    def requeue(self, msg: Msg) -> None:
        """Put a message back, and record a confirm for it again."""
        super().requeue(msg)
        self.record_confirm(msg, self.store.level[msg] != Level.ABSENT)


design = Design(
    claim="A message that comes back is treated like any other that comes.",
    source="G-B16: RabbitMQ 2.x of 2010, commit fe58685b8e",
    replace=(RepeatingQueue,),
    expect=(
        Breaks("ConfirmedOnceByQueue", "tiny", 6),
        Holds("small", "SettledOnce"),
    ),
)
