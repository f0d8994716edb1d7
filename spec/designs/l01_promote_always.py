"""The oldest mirror is promoted, synchronised or not (D8 L1).

That is ha-promote-on-failure = always, the default: better a queue with some messages missing than
no queue.  An ack then means less than it says.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, helper
from ackproof.spec.sorts import Replica
from ackproof.spec.system import Confirms


class EagerConfirms(Confirms):
    """A promotion that asks for age only."""

    @helper
    def chosen(self, replica: Replica) -> bool:
        """Tell whether a mirror is the oldest one left."""
        return not any(self.listed(r) and r < replica for r in self.mirrors_of(replica))


design = Design(
    claim="Availability matters more than messages.",
    source="RabbitMQ with ha-promote-on-failure = always, the default (D8 L1)",
    replace=(EagerConfirms,),
    expect=(Breaks("AckedIsAvailable", "promotion", 11),),
)
