"""Nacks are sent twice, to be sure.

A nack is rare, and a client that misses it loses a message; so each is repeated.  For the channel,
and for a client that keeps a set of what is unconfirmed, nothing changes: the second frame settles
what is settled.  But a client that publishes again at each nack does so twice.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, handler
from ackproof.spec.channel import Channel


class InsistentChannel(Channel):
    """A channel that says twice what it could not do."""

    @handler
    def send_nacks(self) -> None:
        """Send all nacks, and then all of them again."""
        super().send_nacks()
        super().send_nacks()


design = Design(
    claim="To repeat a frame does no harm.",
    source="by mutation: `Channel.send_nacks` that emits twice",
    replace=(InsistentChannel,),
    expect=(Breaks("EachIsNamedOnce", "tiny", 5),),
)
