"""The return stands in line behind the confirms (G-B12).

In 2.8.2 and before, a message published `immediate` that no queue could deliver was confirmed
before it was returned.  `immediate` is gone since 3.0, but the order is as easily lost with
`mandatory`: here returns are collected, as confirms are, and sent with the next flush.  The client
has forgotten the message by then.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Option, Set, handler
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg
from ackproof.spec.wire import Return


class LateChannel(Channel):
    """A channel that collects returns too."""

    to_return: Set[Msg]

    @handler
    def give_back(self, seq: Option[Msg]) -> None:
        """Keep the return for the next flush; without a number it is sent at once."""
        if seq is None:
            self.emit(Return(self.channel, None))
        else:
            self.to_return.add(seq)

    @handler
    def flush(self) -> None:
        """Send what is settled, then what is to be returned."""
        super().flush()
        for seq in sorted(self.to_return):
            self.emit(Return(self.channel, seq))
        self.to_return.clear()


design = Design(
    claim="Returns can be collected and sent with the confirms.",
    source="G-B12: RabbitMQ 2.8.2, commit d92a974fd5",
    replace=(LateChannel,),
    expect=(Breaks("ReturnPrecedesAck", "tiny", 3),),
)
