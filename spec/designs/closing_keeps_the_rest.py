"""A channel that closes, and tells the rest afterwards.

What is settled when a channel closes would have been told with the next flush.  It is a pity to
forget it, so it is kept here, and told when the channel's process gets to it.  But the client has
been told that the channel is closed: it takes what it had not heard of for unknown, and the same
channel number may be open again, with a count of its own.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.channel import Channel


class TalkativeChannel(Channel):
    """A channel that keeps what is settled when it closes."""

    @handler
    def close(self) -> None:
        """Forget only what is not settled."""
        self.open = False
        self.unconfirmed.clear()
        self.vouched.clear()


design = Design(
    claim="What is settled at the close can still be told.",
    source="by mutation: `Channel.close` without the update of `confirmed`",
    replace=(TalkativeChannel,),
    expect=(Breaks("NoAckAfterClose", "small", 4), Breaks("NoNackAfterClose", "small", 6)),
)
