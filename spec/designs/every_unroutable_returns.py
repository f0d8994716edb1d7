"""Whatever no queue was found for is returned.

A publish is lost if its binding is missing, and a client that is told so can mend it; so why not
tell each of them?  Because `mandatory` is how a client asks.  One that has not asked need not read
returns, and one that counts them takes this one for another message.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, handler
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Replica


class HelpfulChannel(Channel):
    """A channel that does not ask whether a message is mandatory."""

    @handler
    def publish(self, targets: Set[Replica], mandatory: bool) -> None:
        """Take every message for mandatory that has no queue."""
        super().publish(targets, mandatory or not targets)


design = Design(
    claim="It does no harm to return what nobody asked for.",
    source="by mutation: `Channel.publish` without `mandatory` in its condition",
    replace=(HelpfulChannel,),
    expect=(Breaks("OnlyMandatoryIsReturned", "tiny", 2),),
)
