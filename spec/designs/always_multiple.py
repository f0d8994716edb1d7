"""Every ack that may be sent with `multiple` is.

If nothing below it is unknown, an ack with `multiple` and one without mean the same, so a channel
can do without the case of a lone message.  Its clients cannot: what was one look-up for most acks
is a search now, for each.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.channel import Channel
from ackproof.spec.wire import Ack


class SweepingChannel(Channel):
    """A channel with one way to say what one frame can say."""

    @handler
    def send_acks(self) -> None:
        """Cover what one frame may cover, be it a single message."""
        covered = set(self.coverable(self.confirmed, self.rejected))
        if covered:
            self.emit(Ack(self.channel, max(covered), True))
        for seq in sorted(self.confirmed - covered):
            self.emit(Ack(self.channel, seq, False))


design = Design(
    claim="An ack for one message may say `multiple` as well.",
    source="by mutation: `Channel.send_acks` without its first branch",
    replace=(SweepingChannel,),
    expect=(Breaks("LoneAckIsSingle", "tiny", 3),),
)
