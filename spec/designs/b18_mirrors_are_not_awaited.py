"""The channel waits for masters only (G-B18).

While the table of unconfirmed messages was rewritten in 2019 and 2020, the mirrors were left out of
it for a time.  A message was acked when the master had it, and lost with the master.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, helper
from ackproof.spec.sorts import Queue, Replica
from ackproof.spec.system import Confirms


class ImpatientConfirms(Confirms):
    """A channel that casts to all and waits for one."""

    @helper
    def asked(self, targets: Set[Queue]) -> Set[Replica]:
        """Return the masters among the processes that the message is cast to."""
        return {r for r in self.addressed(targets) if self.replicas[r].led()}


design = Design(
    claim="A queue has a message when its master has it.",
    source="G-B18: RabbitMQ before 3.8.10, commit 277840b83b",
    replace=(ImpatientConfirms,),
    expect=(Breaks("AckMeansEveryMirror", "late_credit", 7),),
)
