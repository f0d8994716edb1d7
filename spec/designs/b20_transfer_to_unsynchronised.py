"""A queue is moved to a mirror that does not have its messages (G-B20).

Before 3.8.12 a queue could be handed over, to balance the load, to a mirror that was not yet
synchronised.  The old master stops when it has handed over; what only it had is gone, without
anything having failed (D8 L14).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, action, require
from ackproof.spec.sorts import Msg, Reason, Replica
from ackproof.spec.system import Confirms


class MovingConfirms(Confirms):
    """A broker that moves queues about."""

    @action
    def transfer(self, master: Replica, mirror: Replica) -> None:
        """A master stops in favour of one of its mirrors, whichever that is."""
        require(self.replicas[master].leads() and mirror in self.mirrors_of(master))
        require(self.listed(mirror) and self.multicast.silent(mirror))
        self.replicas[master].crash()
        self.end_process(master, Reason.BENIGN)
        for msg in self.replicas[mirror].direct:
            self.casts[Msg.owner(msg)].publishes[mirror].add(msg)
        self.replicas[mirror].promote()
        self.unsynced.discard(mirror)


design = Design(
    claim="Any mirror can take over.",
    source="G-B20: RabbitMQ before 3.8.12, issue #2749, commit 429f87913e",
    replace=(MovingConfirms,),
    expect=(Breaks("AckedIsAvailable", "promotion", 10),),
)
