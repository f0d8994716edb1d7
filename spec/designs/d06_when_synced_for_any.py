"""A mirror is promoted because another one is synchronised (G-D6).

With ha-promote-on-failure = when-synced a mirror that takes over first looks at the list of
synchronised mirrors: if it is empty, it stops.  Whether it is in that list itself, it does not ask
(D5.3).  So the oldest mirror takes over though it lacks messages that a younger one has.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, helper
from ackproof.spec.sorts import Replica
from ackproof.spec.system import Confirms


class HastyConfirms(Confirms):
    """A promotion that looks at the list and not at itself."""

    @helper
    def chosen(self, replica: Replica) -> bool:
        """Tell whether a mirror is the oldest one left, and some mirror is synchronised."""
        return not any(self.listed(r) and r < replica for r in self.mirrors_of(replica)) and any(
            self.replicas[r].mirrors() and self.listed(r) and r not in self.unsynced
            for r in self.siblings(replica)
        )


design = Design(
    claim="If some mirror is synchronised, promotion loses nothing.",
    source="G-D6: RabbitMQ 3.6.16 to 3.13, PR #1578",
    replace=(HastyConfirms,),
    expect=(Breaks("AckedIsAvailable", "promotion", 12),),
)
