"""Several mirrors take over at once (G-B26).

Who takes over was decided by each mirror for itself, from a record that another one was about to
change.  Where two decided at the same time the queue had two masters, each with mirrors of its own,
and stayed so until somebody deleted it.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, helper
from ackproof.spec.sorts import Replica
from ackproof.spec.system import Confirms


class HastySuccession(Confirms):
    """A mirror that takes over when it may, whoever else may, too."""

    @helper
    def chosen(self, replica: Replica) -> bool:
        """Ask whether it could take over, and not whether it is the oldest that could."""
        return replica in self.candidates(replica)

    @helper
    def leaderless(self, replica: Replica) -> bool:
        """Ask for the master that it was told of, and not for one that has come since."""
        first = {r for r in self.masters_of(replica) if not self.replicas[r].promoted}
        return self.multicast.silent(replica) and not first


design = Design(
    claim="Who takes over need not ask the others.",
    source="G-B26: RabbitMQ #944 and others",
    replace=(HastySuccession,),
    expect=(Breaks("OneMaster", "promotion", 7),),
)
