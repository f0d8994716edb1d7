"""What is between a channel and the queues, as a program with many channels keeps it.

A channel monitors the processes that it casts to, and no other ones (A5.7).  The specification has
each channel monitor all of them; what it hears then of one that it has cast nothing to changes
nothing, but that a partition may keep the news from it, and a queue from starting again until then.
In a broker most channels have nothing to do with most queues.
"""

from __future__ import annotations

from ackproof.lang import Set, handler
from ackproof.spec.network import Casts
from ackproof.spec.sorts import Reason, Replica

__all__ = ["MonitoringCasts"]


class MonitoringCasts(Casts):
    """A channel hears of the end of a process that it monitors (A5.7)."""

    monitored: Set[Replica]

    @handler
    def monitor(self, replica: Replica) -> None:
        """The channel will hear of the end of this process (A5.7)."""
        self.monitored.add(replica)

    @handler
    def demonitor(self, replica: Replica) -> None:
        """The channel is not concerned by this process any more, nor by its end (A5.7)."""
        self.monitored.discard(replica)
        self.downs[replica] = None

    @handler
    def end(self, replica: Replica, reason: Reason) -> None:
        """A process ends: who monitors it will hear of it, once (O1, A9)."""
        if replica in self.monitored:
            super().end(replica, reason)

    @handler
    def give_up(self, replica: Replica) -> None:
        """The channel's node has given up that of a process that it monitors, or not (A9)."""
        if replica in self.monitored:
            super().give_up(replica)
