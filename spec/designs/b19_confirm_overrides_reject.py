"""With several queues, one that confirms makes up for one that rejects (G-B19).

In 3.8.0 a rejection was forgotten when another queue of the same message had confirmed.  The
publisher got an ack, and one of the two applications never saw the message (L6.11).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, handler
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg, Replica


class OptimisticChannel(Channel):
    """A channel to which one queue is as good as two."""

    @handler
    def reject(self, seq: Msg, replica: Replica) -> None:
        """Leave the decision to the queues that are left; reject only for want of any."""
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq].discard(replica)
            if not self.unconfirmed[seq]:
                self.rejected.add(seq)


design = Design(
    claim="One queue that has the message is enough.",
    source="G-B19: RabbitMQ 3.8.0, commit def400e81d",
    replace=(OptimisticChannel,),
    expect=(
        Holds("small"),
        Breaks("AckMeansAccepted", "fanout", 7),
    ),
)
