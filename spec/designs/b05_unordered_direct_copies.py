"""The direct copies of one channel overtake each other (G-B05).

In 3.10.0 to 3.10.9 and 3.11.0 to 3.11.1 casts to several nodes at once lost the order between two
messages of one sender (O2).  A mirror takes the first direct copy that waits for the one that the
master speaks of; if it is another, this mirror was not asked, it concludes (D4.8, D4.19).  The
copy stays, everything of its channel that came after it stands behind it, and the mirror never
confirms any of that.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Map, Option, Set, action, handler, helper, require
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Replica, Seen
from ackproof.spec.system import Confirms


class LinedUpProcess(QueueProcess):
    """A mirror that keeps the direct copies of a channel in the order in which they came."""

    earlier: Map[Msg, Set[Msg]]  # those of the same channel that came before a direct copy

    @helper
    def first_direct(self, sent: Set[Msg]) -> Option[Msg]:
        """Return the copy that came first."""
        return min({m for m in sent if not self.earlier[m] & sent}, default=None)

    @handler
    def hear(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Put a copy at the end of its channel's line."""
        if self.seen[msg] == Seen.ABSENT:
            self.earlier[msg] = set(self.direct_of(Msg.owner(msg)))
        super().hear(msg, persistent, confirming)

    @handler
    def learn(
        self, msg: Msg, fate: Seen, persistent: bool, confirming: bool, sent: Set[Msg]
    ) -> None:
        """Take the copy that the master speaks of out of the line, if it is the first."""
        super().learn(msg, fate, persistent, confirming, sent)
        if msg not in self.direct:
            self.earlier[msg].clear()
            for other in sent:
                self.earlier[other].discard(msg)


class UnorderedConfirms(Confirms):
    """A network that delivers any direct copy next."""

    @action(fair="weak")
    def deliver_to_mirror(self, msg: Msg, replica: Replica) -> None:
        """Some direct copy arrives at a mirror, whether or not it is the oldest."""
        blocked = self.storing[replica].blocks()
        require(msg in self.casts[Msg.owner(msg)].publishes[replica])
        require(self.replicas[replica].mirrors() and self.reaches(replica))
        self.casts[Msg.owner(msg)].receive(msg, replica)
        self.replicas[replica].hear(msg, msg in self.persistent, self.confirming(msg))
        self.take_from_channel(msg, replica, False, blocked)


design = Design(
    claim="Casts to different processes need no order, and neither do those to one.",
    source="G-B05: RabbitMQ 3.10.0 to 3.10.9, 3.11.0 and 3.11.1, issue #6115, PR #3865",
    replace=(
        LinedUpProcess,
        UnorderedConfirms,
    ),
    expect=(
        Breaks("EveryPublishSettles", "mirrors", 12),
        Breaks("EveryCopyIsMatched", "mirrors", 12),
    ),
)
