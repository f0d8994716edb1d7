"""An ack is worth as much in a partition as without one (D8 L2, L3, H7).

Nobody promises that, and it is not so: a mirror that sees its master no more is promoted without
asking for a majority, the old master goes on until it notices, and one of them loses.  What Jepsen
found in 2014 is this (H3).  The claim here is that nothing of the kind has to be excused.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, handler
from ackproof.spec.cluster import Cluster
from ackproof.spec.sorts import Node


class UnexcusedCluster(Cluster):
    """A cluster that does not own up to having been parted."""

    @handler
    def part(self, nodes: Set[Node]) -> None:
        """Fall apart, and admit nothing."""
        super().part(nodes)
        self.parted = False


design = Design(
    claim="A minority pauses, so a partition costs nothing.",
    source="Jepsen: RabbitMQ (H1 to H7)",
    replace=(UnexcusedCluster,),
    expect=(Breaks("AckedIsAvailable", "away", 10),),
)
