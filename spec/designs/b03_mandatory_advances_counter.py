"""A mandatory publish takes a sequence number although nobody counts yet (G-B03).

Up to 3.9 the counter advanced for every mandatory publish, in confirm mode or not, since returns
were tracked by it too.  A client starts counting at confirm.select.  If it had published something
mandatory before, each of its confirms is for a number too high, as long as the channel lives.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, helper
from ackproof.spec.channel import Channel


class CountingChannel(Channel):
    """A channel that counts more than its client."""

    @helper
    def takes_number(self, mandatory: bool) -> bool:
        """Count what has to be confirmed, and what may have to be returned."""
        return self.confirming or mandatory


design = Design(
    claim="One counter can serve both confirms and returns.",
    source="G-B03: RabbitMQ through 3.9, PR #3870",
    replace=(CountingChannel,),
    expect=(
        Breaks("SequenceIsDense", "tiny", 2),
        Breaks("NoPhantomConfirm", "small", 4),
    ),
)
