"""RabbitMQ 4.3, classic queues: no mirrors, no fsync, no guard, and queues that go by their names.

Mirrored queues are gone since 4.0, so this era is of queues with one process each.

The end of a queue is handled under the name of the queue.  A channel that hears that the process it
monitors has ended normally confirms whatever waits for a queue of that name.  If the queue was
deleted and declared again, and the channel has published to the second one meanwhile, that is acked
without a word of the second queue, which may not have it on disk yet, or refuse it (A9.5, G-E1).

A queue that begins, because it crashed or its node was started again, applies its limit before it
knows what is to be done about it.  If it was declared to refuse what is too much, and has more than
its limit since consumers had some of it, it drops the oldest, acked or not (B5.8, G-E2).  So it has
been since 3.7, where there are promoted mirrors as well, which begin likewise.

A queue that dead-letters at least once has a copy sent to all queues where its dead go, and if some
have not taken it, another to those only.  Where one of those is deleted, and all that are left have
the message, nobody concludes that it has arrived, and it stays for ever.  So it has been since
there are such queues, which came with 3.10 (Q12.5, G-E3).  They are quorum queues; what they do
with their dead is all that this era has of those.

Classic queues have the second version of index and store, which confirms what it has written, and
syncs it when it is closed (C6.1, C6.2).

No node pauses, whatever it is told, and there is no guard: the side without a majority goes on
acking (A12.9).
"""

from __future__ import annotations

from ackproof.lang import Breaks, Design, Map, Set, action, handler, helper, require
from ackproof.spec.channel import Channel
from ackproof.spec.courier import Courier
from ackproof.spec.instances import MIRRORED
from ackproof.spec.sorts import ChannelId, Level, Msg, Queue, Reason, Replica, Side
from ackproof.spec.store import Store
from ackproof.spec.system import Confirms


class Store2(Store):
    """A store whose timer writes and does not sync."""

    @handler
    def sync(self, msg: Msg) -> None:
        """Hand the message to the kernel, and confirm it (C6.2, C6.3)."""
        require(self.level[msg] == Level.BUFFERED or self.level[msg] == Level.WRITTEN)
        self.level[msg] = Level.WRITTEN
        self.confirm(msg)


class Channel40(Channel):
    """A channel that keeps the names of the queues that it waits for."""

    @handler
    def process_down(self, replica: Replica, reason: Reason, siblings: Set[Replica]) -> None:
        """A queue of some name is deleted: nothing waits for that name any longer (A9.5)."""
        super().process_down(replica, reason, siblings)
        for seq in set(self.unconfirmed):
            if reason == Reason.NORMAL and self.unconfirmed[seq] & siblings:
                self.release(seq, siblings)


class EndsByName(Confirms):
    """What is heard of the end of a queue is its name."""

    monitored: Map[ChannelId, Set[Replica]]  # those of a name that was given again

    @helper
    def next_of(self, replica: Replica) -> Set[Replica]:
        """Return the processes of the queue that takes over the name of another one's (A9.5)."""
        return {r for r in Replica if self.replicas[r].after == self.replicas[replica].of}

    @handler
    def send(self, msg: Msg, replica: Replica) -> None:
        """Monitor a process that a message is cast to (A5.7)."""
        super().send(msg, replica)
        if self.next_of(replica):
            self.monitored[Msg.owner(msg)].add(replica)

    @action(fair="weak")
    def down_arrives(self, channel: ChannelId, replica: Replica) -> None:
        """Settle what waits for the queue that has the name now, too (A9.5, G-E1)."""
        require(self.casts[channel].downs[replica] is not None)
        deleted = self.casts[channel].downs[replica] == Reason.NORMAL
        super().down_arrives(channel, replica)
        if deleted and replica in self.monitored[channel]:
            successors = set(self.next_of(replica))
            self.channels[channel].process_down(replica, Reason.NORMAL, successors)


class LimitBeforeOverflow(Confirms):
    """Queues that learn of their limit before they learn what is to be done about it."""

    @handler
    def apply_limit(self, replica: Replica) -> None:
        """Drop what is over the limit, as a queue does unless told otherwise (B5.8, G-E2).

        Nobody has consumed it, and nobody has asked for it to go: it is to be in the queue still.
        """
        super().apply_limit(replica)
        if self.replicas[replica].limited:
            surplus = set(self.replicas[replica].surplus())
            for msg in surplus:
                self.replicas[replica].drop(msg)
                self.part_from(msg, replica)
            self.replicas[replica].displace(surplus)


class ThriftyCourier(Courier):
    """A courier that knows which queues have confirmed which copies (Q12.3)."""

    settled: Map[Msg, Set[Queue]]

    @handler
    def hears_from(self, queue: Queue, copies: Set[Msg]) -> None:
        """A queue has confirmed copies."""
        for msg in copies:
            self.settled[msg].add(queue)


class SentToTheRest(Confirms):
    """Dead letters that are sent again to those who have not confirmed one (Q12.3, G-E3)."""

    courier: ThriftyCourier

    @handler
    def accepted_by(self, channel: ChannelId, replica: Replica, confirms: Set[Msg]) -> None:
        """Tell the courier which queue it was."""
        super().accepted_by(channel, replica, confirms)
        if not self.of_client(channel):
            self.courier.hears_from(self.replicas[replica].of, confirms)

    @helper
    def to_reach(self, dead: Msg, replica: Replica) -> Set[Queue]:
        """Leave out those that have confirmed: if nobody is left, no answer comes (G-E3)."""
        return super().to_reach(dead, replica) - {
            q for k in self.copies_of(dead, replica) for q in self.courier.settled[k]
        }


class Confirms43(EndsByName, LimitBeforeOverflow, SentToTheRest):
    """Nobody asks for a majority."""

    @helper
    def may_tell(self, channel: ChannelId) -> bool:
        """Tell whatever there is to tell (A12.9)."""
        return True

    @action(fair="weak")
    def pause(self, channel: ChannelId) -> None:
        """No node of a channel pauses (A12.9)."""
        require(False)

    @action
    def lose_side(self, side: Side) -> None:
        """No side has to start again (A12.9)."""
        require(False)

    @helper
    def must_stop(self, replica: Replica) -> bool:
        """No node of a queue pauses either (A12.9)."""
        return False


design = Design(
    claim="A queue is its name.",
    source="RabbitMQ 4.3, classic queues",
    replace=(Store2, Channel40, ThriftyCourier, Confirms43),
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
        Breaks("WhoStopsHasNoClients", "divided", 4),
        Breaks("MinorityStops", "divided", 3),
    ),
)
