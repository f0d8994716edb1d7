"""A flush tells one publisher what is settled for all of them.

Flushes are coalesced to save frames (A10.2).  A node that coalesces those of several channels into
one, and sends it on the channel whose turn it is, tells a publisher of numbers that it has not
used, or, worse, has.  With one channel there is nothing to mistake.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, action
from ackproof.spec.sorts import ChannelId
from ackproof.spec.system import Confirms


class CoalescingConfirms(Confirms):
    """A node that flushes for all of its channels at once."""

    @action(fair="weak")
    def flush(self, channel: ChannelId) -> None:
        """Tell on this channel what was confirmed on any."""
        self.channels[channel].confirmed |= {
            m for c in ChannelId if c != channel for m in self.channels[c].confirmed
        }
        for other in ChannelId:
            if other != channel:
                self.channels[other].confirmed.clear()
        super().flush(channel)


design = Design(
    claim="One flush for all channels saves frames.",
    source="A10.2: what several channels would make of coalescing [derived]",
    replace=(CoalescingConfirms,),
    expect=(
        Holds("small"),
        Breaks("NoPhantomConfirm", "channels", 3),
    ),
)
