"""Confirm as soon as the channel has the message.

The first of three answers that seed 000 considers to "when does the server confirm?", with its own
objection: would the message not be lost then?  It is: the confirm may overtake the message, and
nobody has it yet when the publisher forgets it.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, handler
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg, Replica


class EagerChannel(Channel):
    """A channel that waits for nobody."""

    @handler
    def register(self, seq: Msg, targets: Set[Replica]) -> None:
        """Confirm every message at once, wherever it was routed."""
        self.confirmed.add(seq)


design = Design(
    claim="A message is safe as soon as the channel has it.",
    source="seed 000, first answer",
    replace=(EagerChannel,),
    expect=(
        Breaks("NoAckBeforeDurable", "tiny", 3),
        Breaks("AckMeansAccepted", "tiny", 3),
    ),
)
