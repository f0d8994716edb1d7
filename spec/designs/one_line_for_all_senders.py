"""A mirror keeps the direct copies of all channels in one line.

What a mirror has from channels only it keeps in order, for each channel by itself (D3, D4.19).  If
it kept them in one line, a copy from one channel could stand before that of another, of which the
master speaks first: then the mirror would conclude that it was not asked for that one, and never
confirm it.  With one channel the two are the same.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Holds, handler
from ackproof.spec.sorts import Msg, Replica, Seen
from ackproof.spec.system import Confirms


class OneLineConfirms(Confirms):
    """Mirrors that do not ask who has sent a copy."""

    @handler
    def learn(self, msg: Msg, replica: Replica, fate: Seen) -> None:
        """Compare with the first of all direct copies."""
        sent = set(self.replicas[replica].direct)
        persistent = msg in self.persistent
        if fate == Seen.PUBLISHED:
            self.replicas[replica].place(msg)
        self.replicas[replica].learn(msg, fate, persistent, self.confirming(msg), sent)
        if fate == Seen.PUBLISHED:
            self.send_to_store(msg, replica)


design = Design(
    claim="Copies are told apart by their numbers, so one line is enough for all channels.",
    source="D4.19: RabbitMQ keeps a queue for each sender [derived]",
    replace=(OneLineConfirms,),
    expect=(
        Holds("mirrors"),
        Breaks("EveryCopyIsMatched", "channels_mirrors", 12),
        Breaks("EveryPublishSettles", "channels_mirrors", 12),
    ),
)
