"""RabbitMQ 4.0 to 4.2, classic queues: as 4.3, with the guard of before.

A node without a majority pauses, and its channels ask a guard before they tell anything.  The guard
remembers an answer that it never gave: a channel that has never flushed may confirm when its node
sees no other at all (A12.3, A12.5, G-D3).  Each channel remembers for itself.

This is said of clusters that keep their records in Mnesia, as they do unless asked otherwise.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Set, handler, helper
from ackproof.spec.eras.rabbitmq_4_3 import (
    Channel40,
    EndsByName,
    LimitBeforeOverflow,
    SentToTheRest,
    Store2,
    ThriftyCourier,
)
from ackproof.spec.instances import MIRRORED
from ackproof.spec.sorts import ChannelId, Node
from ackproof.spec.system import Confirms


class CachedGuard(Confirms):
    """A guard with a cache."""

    answered: Set[ChannelId]  # channels whose cache, with no nodes and yes, was overwritten

    @helper
    def isolated(self) -> bool:
        """Tell whether the channels' node sees no other."""
        return len(self.cluster.lost) + 1 == len(Node)

    @helper
    def may_tell(self, channel: ChannelId) -> bool:
        """Answer from the cache if the nodes are those of the last time (A12.3, A12.5)."""
        return super().may_tell(channel) or (self.isolated() and channel not in self.answered)

    @handler
    def has_asked(self, channel: ChannelId) -> None:
        """Remember for which nodes the answer was (A12.3)."""
        if not self.isolated():
            self.answered.add(channel)


class Confirms40(CachedGuard, EndsByName, LimitBeforeOverflow, SentToTheRest):
    """The guard with a cache, and what is as in 4.3 (A12.3, A9.5, B5.8, Q12.5)."""


design = Design(
    claim="A queue is its name, and the guard has been asked.",
    source="RabbitMQ 4.0 to 4.2, classic queues",
    replace=(Store2, Channel40, ThriftyCourier, Confirms40),
    leaves_out=MIRRORED,
    expect=(
        Breaks("AckMeansAccepted", "redeclared", 7),
        Breaks("CastMeansSynced", "tiny", 5),
        Breaks("ConfirmedSurvives", "redeclared", 7),
        Breaks("ConfirmedByStoreIsSafe", "tiny", 4),
        Breaks("NoAckFromMinority", "divided", 6),
        Breaks("NoNackFromMinority", "divided", 7),
        Breaks("NoCommitFromMinority", "commit_across", 6),
        Breaks("NoFailureFromMinority", "commit_across", 8),
        Breaks("NoAckBeforeDurable", "tiny", 7),
        Breaks("EndConfirmsItsOwn", "redeclared", 6),
        Breaks("AckedIsNotRefused", "redeclared", 8),
        Breaks("NoCommitBeforeDurable", "channels_commit", 8),
        Breaks("OnlyWhoDropsMakesRoom", "overfull", 11),
        Breaks("DeadArePassedOn", "dead_letters_split", 13),
    ),
)
