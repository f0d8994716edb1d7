"""A mirror forgets what it has from all channels when one of them closes.

When a channel has closed, what a mirror has from it only waits for nothing any more, and is
forgotten (D4.16-D4.18).  A mirror that forgets the copies of other channels, too, owes these a
confirm that it will never send.  With one channel, what is forgotten is that channel's.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, action, require
from ackproof.spec.sorts import ChannelId, Replica
from ackproof.spec.system import Confirms


class ThoroughConfirms(Confirms):
    """Mirrors that forget everything at once."""

    @action(fair="weak")
    def forget_sender(self, channel: ChannelId, replica: Replica) -> None:
        """Forget what is known from one side only, whoever has sent it."""
        require(not self.channels[channel].open and self.replicas[replica].mirrors())
        require(self.replicas[replica].remembers(channel))
        require(not self.casts[channel].publishes[replica] and self.multicast.silent(replica))
        self.replicas[replica].forget_sender(set(self.replicas[replica].known()))


design = Design(
    claim="When a channel has closed, nobody waits for what a mirror has heard so far.",
    source="D4.16-D4.18, for several senders [derived]",
    replace=(ThoroughConfirms,),
    expect=(
        Holds("failover"),
        Breaks("SomebodyOwesAnAnswer", "channels_close", 8),
        Breaks("EveryPublishSettles", "channels_close", 15),
    ),
)
