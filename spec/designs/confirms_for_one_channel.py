"""A process answers one channel, and takes it that it has answered all.

A process casts confirms for messages of several channels, each to the channel that the message came
from (B2.2, B6.1).  If it takes all of them for told when one channel has processed its own, what is
left is told to nobody.  With one channel there is nothing left.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, action
from ackproof.spec.sorts import ChannelId, Replica
from ackproof.spec.system import Confirms


class ForgetfulConfirms(Confirms):
    """A broker whose processes have one outbox, emptied by whoever comes first."""

    @action(fair="weak")
    def confirm_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """Empty the whole outbox when one channel has got its confirms."""
        super().confirm_arrives(channel, replica)
        self.replicas[replica].posted(set(self.replicas[replica].outbox))


design = Design(
    claim="A confirm that was cast has arrived.",
    source="B2.2: the table from message to channel [derived]",
    replace=(ForgetfulConfirms,),
    expect=(
        Holds("small"),
        Breaks("SomebodyOwesAnAnswer", "channels", 7),
        Breaks("EveryPublishSettles", "channels", 8),
    ),
)
