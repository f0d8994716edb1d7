"""A queue whose node is down is not found (G-B21).

Until 3.11 routing looked into the table of queues that are alive.  A durable queue whose node was
down was not in it; a message for it counted as unroutable, was dropped, and acked (A5.4).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, helper
from ackproof.spec.sorts import Queue, Replica, Status
from ackproof.spec.system import Confirms


class ForgettingConfirms(Confirms):
    """Routing by what runs."""

    @helper
    def found(self, queue: Queue) -> bool:
        """Tell whether any process of a queue runs."""
        return any(
            self.replicas[r].of == queue and self.replicas[r].status == Status.RUNNING
            for r in Replica
        )


design = Design(
    claim="A queue that is down cannot take messages, so none are meant for it.",
    source="G-B21: RabbitMQ before 3.11.0, PR #4563",
    replace=(ForgettingConfirms,),
    expect=(
        Breaks("NoQueueIsOverlooked", "tiny", 4),
        Holds("tiny", "AckMeansAccepted"),
    ),
)
