"""The guard remembers an answer that it never gave (G-D3).

The answer to "may I confirm?" is kept for as long as the set of visible nodes does not change
(A12.3).  Each channel keeps its own.  At first there is an answer for no nodes at all, and it is
yes (A12.5).  A channel whose first flush comes when its node sees nobody any more finds that
nothing has changed.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, handler, helper
from ackproof.spec.sorts import ChannelId, Node
from ackproof.spec.system import Confirms


class RememberingConfirms(Confirms):
    """A guard with a cache that is filled before the first question."""

    answered: Set[ChannelId]

    @helper
    def isolated(self) -> bool:
        """Tell whether the channels' node sees no other."""
        return len(self.cluster.lost) + 1 == len(Node)

    @helper
    def may_tell(self, channel: ChannelId) -> bool:
        """Say yes to a channel that never asked before and is alone."""
        return super().may_tell(channel) or (self.isolated() and channel not in self.answered)

    @handler
    def has_asked(self, channel: ChannelId) -> None:
        """Keep the answer, for the nodes that are visible now."""
        if not self.isolated():
            self.answered.add(channel)


design = Design(
    claim="Without any nodes there is nothing to guard against.",
    source="G-D3: RabbitMQ 3.6 to 3.13",
    replace=(RememberingConfirms,),
    expect=(Breaks("NoAckFromMinority", "ended_apart", 6),),
)
