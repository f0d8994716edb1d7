"""A second confirm.select starts the client's count anew (G-B24).

A client library set its counter back to 1 at each confirm.select.  The channel does not (A1.1), so
from then on every confirm is for a number that the client has given to another message.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, action
from ackproof.spec.sorts import ChannelId, Msg
from ackproof.spec.system import Confirms


class RecountingConfirms(Confirms):
    """A client that counts from its last select."""

    @action
    def select(self, channel: ChannelId) -> None:
        """Ask for confirm mode, and begin to count."""
        super().select(channel)
        self.publishers[channel].next_tag = Msg.first(channel)


design = Design(
    claim="confirm.select begins the numbering.",
    source="G-B24: RabbitMQ's Erlang client, issue #27",
    replace=(RecountingConfirms,),
    expect=(Breaks("SequenceIsDense", "tiny", 3),),
)
