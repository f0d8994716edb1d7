"""RabbitMQ 3.11 to 3.13: what is left of the faults that mirroring brought.

A promoted master looks for duplicates before it records whom to confirm (B1.3).  So a message that
it knew from the old master only, and whose direct copy comes now, is recognised, dropped, and never
confirmed (D6.2, G-D1).  It also looks whether it is full before it looks for duplicates, and a
message that it refuses but has heard of trips its own assertion (D6.4, G-D5).

Its mirrors confirm what the master has refused, and rely on the master's reject to arrive (B5.6);
with the master's node, it does not (D6.3, G-D4).  A message refused that nobody waits for is not
mentioned to the mirrors at all, who keep the direct copy for ever (B5.4, G-B07).

With ha-promote-on-failure = when-synced, the oldest mirror is promoted if *any* mirror is
synchronised (D5.3, G-D6); if none is, the oldest stops.  Its end is normal, and since 3.9 a channel
takes that for the end of the queue only if it is the master's (A9, D8 L13).  But what the mirror
has confirmed counts (D7.4), and if it was the only one to confirm, the message is acked and gone.

A publish costs one credit towards a mirror, which still acks it twice (E3.2, G-D7).

Where a queue is deleted and declared again, a channel asks of a process that has ended normally
whether it is the queue's.  Once the channel has published to the next one, it is not, and what
waited for the first is nacked (A9.6); before that, it is acked.

A queue that begins, or that a mirror takes over, drops what is over its limit, even if it was
declared to refuse it instead (B5.8, G-E2).  A queue that dead-letters at least once keeps for ever
what all have that are left to have it (Q12.5, G-E3).

The guard remembers an answer that it never gave: a channel that has never flushed may confirm when
its node sees no other at all (A12.3, A12.5, G-D3).  Each channel remembers for itself.
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Map, Set, action, handler, helper, require
from ackproof.spec.eras.rabbitmq_4_0 import CachedGuard
from ackproof.spec.eras.rabbitmq_4_3 import LimitBeforeOverflow, SentToTheRest, ThriftyCourier
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import ChannelId, Msg, Reason, Replica, Seen


class QueueProcess311(QueueProcess):
    """A process that drops duplicates before anything else."""

    @handler
    def accept_again(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Drop the message; whoever waits for its confirm has not been recorded (B1.3, D6.2)."""
        if self.seen[msg] != Seen.PUBLISHED:
            self.store.confirmed.add(msg)
        self.seen[msg] = Seen.ABSENT

    @handler
    def reply(self, msg: Msg, fate: Seen, confirming: bool) -> None:
        """Confirm what the master has dealt with, refused or not (B5.6, D4.3, D4.10)."""
        if confirming:
            self.outbox.add(msg)


class Confirms311(CachedGuard, LimitBeforeOverflow, SentToTheRest):
    """The order of checks, the choice of a new master, and the guard's cache, as they are."""

    next_met: Map[ChannelId, Set[Replica]]  # processes under a name that was given again

    @handler
    def send(self, msg: Msg, replica: Replica) -> None:
        """Keep the process that a message is cast to as the queue's (A9.6)."""
        super().send(msg, replica)
        if self.replicas[replica].after is not None:
            self.next_met[Msg.owner(msg)].add(replica)

    @helper
    def outlived(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether a process is not its queue's any more, to a channel (A9.6)."""
        return any(
            self.replicas[r].after == self.replicas[replica].of for r in self.next_met[channel]
        )

    @action(fair="weak")
    def down_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """Take the end of one that is not the queue's any more for that of any process (A9.6)."""
        require(self.casts[channel].downs[replica] is not None)
        deleted = self.casts[channel].downs[replica] == Reason.NORMAL
        if deleted and self.outlived(channel, replica):
            self.casts[channel].downs[replica] = Reason.BENIGN
        super().down_arrives(channel, replica)

    @handler
    def take_in(self, msg: Msg, replica: Replica) -> None:
        """Look at the limit first, and then for duplicates (B1.3, D6.4)."""
        if self.replicas[replica].refuses():
            self.refuse(msg, replica)
        elif self.replicas[replica].recognises(msg):
            self.replicas[replica].accept_again(msg, msg in self.persistent, self.confirming(msg))
        else:
            self.enqueue(msg, replica)
            self.shorten(replica)

    @handler
    def tell_refusal(self, msg: Msg, replica: Replica) -> None:
        """Tell mirrors of a refused message only if its publisher waits for a confirm (B5.4)."""
        if self.confirming(msg):
            super().tell_refusal(msg, replica)

    @helper
    def any_synchronised(self, replica: Replica) -> bool:
        """Tell whether the queue's record lists a synchronised mirror (D5.3)."""
        return any(
            self.replicas[r].mirrors() and self.listed(r) and r not in self.unsynced
            for r in self.siblings(replica)
            if self.linked(r, replica)
        )

    @helper
    def oldest(self, replica: Replica) -> bool:
        """Tell whether a mirror is the oldest one left, synchronised or not (D5.1)."""
        return not any(self.listed(r) and r < replica for r in self.mirrors_of(replica))

    @helper
    def chosen(self, replica: Replica) -> bool:
        """Tell whether a mirror is promoted: the oldest, if any is synchronised (D5.1, D5.3)."""
        return self.oldest(replica) and self.any_synchronised(replica)

    @helper
    def hopeless(self, replica: Replica) -> bool:
        """Tell whether a mirror stops: the oldest does, if none is synchronised (D5.3)."""
        first = self.listed(replica) and self.leaderless(replica) and self.oldest(replica)
        return first and not self.any_synchronised(replica)

    @helper
    def counts(self, replica: Replica) -> bool:
        """Count each confirm, also that of a mirror that will delete what it has (A8.3, D7.4)."""
        return True


design = Design(
    claim="Duplicates and limits can be looked at in any order.",
    source="RabbitMQ 3.11 to 3.13",
    replace=(QueueProcess311, ThriftyCourier, Confirms311),
    constants={"Confirms.mirror_cost": 1},
    expect=(
        Breaks("NoAckFromMinority", "partition", 6),
        Breaks("NoNackFromMinority", "partition", 10),
        Breaks("NoCommitFromMinority", "commit_across", 6),
        Breaks("NoFailureFromMinority", "commit_across", 8),
        Breaks("NackOnlyWithCause", "redeclared", 7),
        Breaks("AckMeansAccepted", "limits", 13),
        Breaks("NoAckBeforeDurable", "limits", 13),
        Breaks("ConfirmedSurvives", "limits", 13),
        Breaks("AckedIsAvailable", "promotion", 12),
        Breaks("CastMeansPresent", "limits", 9),
        Breaks("PromotedIsSynchronised", "promotion", 10),
        Breaks("AckedIsVouchedFor", "late", 16),
        Breaks("EveryPublishSettles", "mirrors", 9),
        Breaks("EveryPublisherHears", "mirrors", 9),
        Breaks("EveryCopyIsMatched", "plain", 7),
        Breaks("SomebodyOwesAnAnswer", "mirrors", 7),
        Breaks("CreditIsConserved", "mirror_credit", 4),
        Breaks("NoExcessCredit", "mirror_credit", 7),
        Breaks("NoAssertionFails", "plain", 6),
        Breaks("EveryCommitAnswers", "commit_late", 12),
        Breaks("OnlyWhoDropsMakesRoom", "overfull", 11),
        Breaks("DeadArePassedOn", "dead_letters_split", 13),
    ),
)
