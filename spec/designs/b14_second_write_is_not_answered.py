"""Who writes a body that is there already is never told that it is on the disk (G-B14).

Before 2.6 the store lost the confirms of messages that were written, removed, and written again, as
happens to a message that several queues have: to write what it knew was nothing to it.  The queue
waits for ever, and so does the publisher.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.sorts import Level, Msg, Replica
from ackproof.spec.store import Bodies


class ForgetfulBodies(Bodies):
    """A store that answers the first who writes."""

    @handler
    def keep(self, msg: Msg, replica: Replica) -> None:
        """Have a body written if it is not there, and refer to it."""
        if self.level[msg] == Level.ABSENT:
            self.level[msg] = Level.BUFFERED
            self.waiting[msg].add(replica)
        self.referring[msg].add(replica)


design = Design(
    claim="What is there already need not be written.",
    source="G-B14: RabbitMQ before 2.6, commits 9acd660bfb and 55926552dc",
    replace=(ForgetfulBodies,),
    expect=(
        Breaks("UnstoredIsUnderWay", "bodies", 4),
        Breaks("EveryPublishSettles", "bodies", 8),
    ),
)
