"""The end of a queue is told by its name (G-E1).

A channel that hears of a deletion settles what waits for the queue (A9.3).  Here it asks which
queue by the name alone.  When a queue of that name was declared meanwhile, and the channel waits
for that, the news is taken for the end of the new one: what it has not seen yet, or will refuse, is
acked.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, action, handler, helper, require
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import ChannelId, Reason, Replica
from ackproof.spec.system import Confirms


class ForgetfulChannel(Channel):
    """A channel that knows queues by their names."""

    @handler
    def process_down(self, replica: Replica, reason: Reason, siblings: Set[Replica]) -> None:
        """Whatever waits for a queue that was deleted waits no longer, whoever it was."""
        super().process_down(replica, reason, siblings)
        for seq in set(self.unconfirmed):
            if reason == Reason.NORMAL and self.unconfirmed[seq] & siblings:
                self.release(seq, siblings)


class ForgetfulConfirms(Confirms):
    """Ends of queues that say no more than a name."""

    @helper
    def next_of(self, replica: Replica) -> Set[Replica]:
        """Return the processes of the queue that took over a name."""
        return {r for r in Replica if self.replicas[r].after == self.replicas[replica].of}

    @action(fair="weak")
    def down_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """Settle what waits for the queue that has the name now, too."""
        require(self.casts[channel].downs[replica] is not None)
        deleted = self.casts[channel].downs[replica] == Reason.NORMAL
        super().down_arrives(channel, replica)
        if deleted:
            successors = set(self.next_of(replica))
            self.channels[channel].process_down(replica, Reason.NORMAL, successors)


design = Design(
    claim="A queue is its name.",
    source="G-E1: RabbitMQ 4.0 and later",
    replace=(ForgetfulChannel, ForgetfulConfirms),
    expect=(
        Breaks("EndConfirmsItsOwn", "redeclared", 5),
        Breaks("AckMeansAccepted", "redeclared", 6),
        Breaks("NoAckBeforeDurable", "redeclared", 6),
        Breaks("ConfirmedSurvives", "redeclared", 6),
    ),
)
