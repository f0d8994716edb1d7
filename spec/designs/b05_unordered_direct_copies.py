"""The direct copies of one channel overtake each other (G-B05).

In 3.10.0 to 3.10.9 and 3.11.0 to 3.11.1 casts to several nodes at once lost the order between two
messages of one sender (O2).  A mirror takes the first direct copy that waits for the one that the
master speaks of; if it is another, this mirror was not asked, it concludes (D4.8, D4.19).  The
copy stays, everything after it stands behind it, and the mirror never confirms again.
"""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.lang import Breaks, Design, Option, Seq, Set, action, handler, helper, require
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Msg, Replica, Seen
from ackproof.spec.system import Confirms


class LinedUpProcess(QueueProcess):
    """A mirror that keeps direct copies in the order in which they came."""

    line: Annotated[Seq[Msg], 3]

    @helper
    def first_direct(self, sent: Set[Msg]) -> Option[Msg]:
        """Return the copy that came first."""
        return self.line[0] if len(self.line) > 0 else None

    @handler
    def hear(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Put a copy at the end of the line."""
        if self.seen[msg] == Seen.ABSENT:
            self.line.append(msg)
        super().hear(msg, persistent, confirming)

    @handler
    def learn(
        self, msg: Msg, fate: Seen, persistent: bool, confirming: bool, sent: Set[Msg]
    ) -> None:
        """Take the first of the line if it is the one that the master speaks of."""
        first = self.first_direct(sent)
        super().learn(msg, fate, persistent, confirming, sent)
        if first == msg:
            self.line.pop(0)


class UnorderedConfirms(Confirms):
    """A network that delivers any direct copy next."""

    @action(fair="weak")
    def deliver_to_mirror(self, msg: Msg, replica: Replica) -> None:
        """Some direct copy arrives at a mirror, whether or not it is the oldest."""
        require(msg in self.network.publishes[replica])
        require(self.replicas[replica].mirrors() and self.reaches(replica))
        self.network.receive(msg, replica)
        self.replicas[replica].hear(msg, msg in self.persistent, msg not in self.plain)


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
