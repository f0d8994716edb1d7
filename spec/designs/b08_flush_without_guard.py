"""A channel confirms without asking whether it may (G-B08).

Before 3.5.0 there was a way to the publisher past the guard: a node that was about to pause, as one
of a minority, went on confirming (A12.8).  What it confirms, the majority may never see.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, helper
from ackproof.spec.cluster import Cluster


class CarelessCluster(Cluster):
    """A node that speaks for the cluster whether or not it sees it."""

    @helper
    def may_confirm(self) -> bool:
        """Say yes."""
        return True


design = Design(
    claim="A node that is about to pause may finish what it has begun.",
    source="G-B08: RabbitMQ before 3.5.0, release note 26622",
    replace=(CarelessCluster,),
    expect=(Breaks("NoAckFromMinority", "ended_apart", 6),),
)
