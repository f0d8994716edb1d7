"""The guard remembers an answer that it never gave (G-D3).

The answer to "may I confirm?" is kept for as long as the set of visible nodes does not change
(A12.3).  At first there is an answer for no nodes at all, and it is yes (A12.5).  A channel whose
first flush comes when its node sees nobody any more finds that nothing has changed.
"""

from __future__ import annotations

from ackproof.spec.cluster import Cluster
from ackproof.spec.lang import Breaks, Design, handler, helper
from ackproof.spec.sorts import Node


class RememberingCluster(Cluster):
    """A guard with a cache that is filled before the first question."""

    answered: bool

    @helper
    def isolated(self) -> bool:
        """Tell whether the channel's node sees no other."""
        return len(self.lost) + 1 == len(Node)

    @helper
    def may_confirm(self) -> bool:
        """Say yes to a node that was never asked before and is alone."""
        return self.majority() or (self.isolated() and not self.answered)

    @handler
    def asked(self) -> None:
        """Keep the answer, for the nodes that are visible now."""
        if not self.isolated():
            self.answered = True


design = Design(
    claim="Without any nodes there is nothing to guard against.",
    source="G-D3: RabbitMQ 3.6 to 3.13",
    replace=(RememberingCluster,),
    expect=(Breaks("NoAckFromMinority", "partition", 6),),
)
