"""A promoted mirror gives credit twice for all that was sent to it as a mirror.

A message that is cast to a mirror costs two credits, one for each copy that is to come (E3.1).  If
the mirror is promoted before its copy from the channel arrives, no copy from the old master comes
any more, so it gives credit twice for the one that arrives.  But the old master's copy may have
come before: then credit was given for that already, and now there are three for two (B1.5, D6.2).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, helper
from ackproof.spec.sorts import Msg, Replica
from ackproof.spec.system import Confirms


class GenerousBroker(Confirms):
    """A broker whose new masters do not ask what the old one has told them."""

    @helper
    def acks_twice(self, msg: Msg, replica: Replica) -> bool:
        """Take it that no copy came from the old master."""
        return msg in self.casts[Msg.owner(msg)].as_mirrors[replica]


design = Design(
    claim="What was sent to a mirror that is the master by now is acked for both copies.",
    source="RabbitMQ with mirrored queues, 3.6 to 3.12 [derived]",
    replace=(GenerousBroker,),
    expect=(
        Holds("credit"),
        Breaks("CreditIsConserved", "mirror_scarce", 7),
    ),
)
