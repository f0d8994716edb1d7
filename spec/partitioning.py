"""Partitioning: the cluster falls apart, both sides go on for a while, and come together again.

The mode is pause_minority (A12.2, D9): a side without a majority pauses, which breaks the
publisher's connection and stops every process there.  It takes a while to find out; in between,
either side may do what it did before, and a mirror that sees its master no more is promoted, since
promotion asks for no majority (D5.1, D9).  So a queue may have two masters.  When the partition is
over, what had paused starts again, empty (D7.2).

A confirm is worth what the channel knew when it sent it.  While nobody has noticed anything, that
is not enough (D8 L3): an acked message may be on the losing side only.  `AckedIsAvailable` does not
promise anything once there was a partition.  `NoAckFromMinority` is what can be promised, and what
the guard is there for.
"""

from __future__ import annotations

from ackproof.spec.cluster import Cluster
from ackproof.spec.failing import Failing
from ackproof.spec.lang import Const, Option, Set, action, fault, handler, helper, require
from ackproof.spec.sorts import Msg, Node, Reason, Replica, Status

__all__ = ["Partitioning"]


class Partitioning(Failing):
    """Network partitions, the guard before confirms, and pause_minority (A12, D9)."""

    home: Const[Option[Node]] = None  # the node of the channel

    cluster: Cluster

    # -- who reaches whom -----------------------------------------------------------------------

    @helper
    def apart(self, replica: Replica) -> bool:
        """Tell whether a process is on the other side from the channel (D9)."""
        return any(self.replicas[replica].node == n for n in self.cluster.away)

    @helper
    def reaches(self, replica: Replica) -> bool:
        """Tell whether the channel and a process are on the same side (D9)."""
        return not self.apart(replica)

    @helper
    def linked(self, one: Replica, other: Replica) -> bool:
        """Tell whether two processes are on the same side (D9)."""
        return self.apart(one) == self.apart(other)

    @helper
    def given_up(self, replica: Replica) -> bool:
        """Tell whether the channel's node has given up the node of a process (A9)."""
        return any(self.replicas[replica].node == n for n in self.cluster.lost)

    @helper
    def knows(self, master: Replica, mirror: Replica) -> bool:
        """Tell whether a master counts a mirror among those it tells (D2.1)."""
        return self.linked(master, mirror) or not self.divided(master)

    @helper
    def divided(self, replica: Replica) -> bool:
        """Tell whether the processes of a queue have given up those on the other side (D9)."""
        return bool(self.siblings(replica) & self.cluster.estranged)

    @helper
    def able(self, replica: Replica) -> bool:
        """Tell whether what is cast to a process gets there, for all the channel knows (A5.4)."""
        return super().able(replica) and not self.given_up(replica)

    @helper
    def news(self, replica: Replica, reason: Reason) -> Reason:
        """Return the reason that is heard of the end of a process: none from one given up (A9)."""
        return Reason.BENIGN if self.given_up(replica) else super().news(replica, reason)

    @helper
    def last_words(self, replica: Replica) -> bool:
        """Tell whether the channel has still to hear what a process has sent (O1)."""
        if self.given_up(replica):
            return False
        return self.apart(replica) or super().last_words(replica)

    @helper
    def hears_master(self, replica: Replica) -> bool:
        """Tell whether what a master has sent to a mirror can arrive there (D1.3)."""
        return not any(
            self.replicas[r].leads()
            and not self.linked(r, replica)
            and r not in self.cluster.estranged
            for r in self.siblings(replica)
        )

    @helper
    def gone(self, other: Replica, witness: Replica) -> bool:
        """Tell whether a process does not run, as another one of its queue sees it (D5.1)."""
        hidden = self.divided(other) and not self.linked(other, witness)
        return self.replicas[other].status != Status.RUNNING or hidden

    @helper
    def leaderless(self, replica: Replica) -> bool:
        """Tell whether a mirror's master is gone as far as the mirror sees (D5.1, D9)."""
        return self.network.silent(replica) and all(
            self.gone(r, replica) or not self.replicas[r].leads() for r in self.siblings(replica)
        )

    # -- coming apart ---------------------------------------------------------------------------

    @fault
    def partition(self, nodes: Set[Node]) -> None:
        """The network falls apart, with these nodes on the other side (D9)."""
        require(not any(self.home == n for n in nodes))
        self.cluster.part(nodes)

    @action(fair="weak")
    def notice(self, node: Node) -> None:
        """The channel's node gives up a node: all processes there are down to it (A9, A12.7)."""
        self.cluster.notice(node)
        there = {r for r in Replica if self.replicas[r].node == node}
        self.excused |= {m for m in Msg if any(self.last_to_answer(m, r) for r in there)}
        for replica in there:
            self.give_up(replica)

    @handler
    def give_up(self, replica: Replica) -> None:
        """What is between the channel and a process is lost, and either counts the other as gone.

        A mirror forgets what it has from the channel only, as when the channel closes (D4.18).
        """
        if self.replicas[replica].mirrors():
            self.replicas[replica].forget_sender(set(self.replicas[replica].known()))
        self.network.publishes[replica].clear()
        self.replicas[replica].posted()
        self.replicas[replica].rejected()
        self.network.downs[replica] = Reason.BENIGN
        for msg in Msg:
            self.owing[msg].discard(replica)

    @action(fair="weak")
    def estrange(self, master: Replica) -> None:
        """A master and its mirrors on the other side give each other up, as if dead (D9).

        A mirror has got from its master what it got, and nothing else will come (D1.3).
        """
        require(self.replicas[master].leads() and bool(self.strangers(master)))
        require(not self.divided(master))
        self.cluster.estranged.add(master)
        self.network.equalise(set(self.strangers(master)))

    @helper
    def strangers(self, master: Replica) -> Set[Replica]:
        """Return the mirrors of a master that are on the other side (D9)."""
        return {
            r
            for r in self.siblings(master)
            if self.replicas[r].mirrors() and not self.linked(r, master)
        }

    @action(fair="weak")
    def pause(self) -> None:
        """The channel's node is in a minority and pauses: its connections break (A12.2, D9)."""
        require(self.channel.open and not self.cluster.majority())
        self.close_channel()

    @action(fair="weak")
    def halt(self, replica: Replica) -> None:
        """So does the node of a process, on either side (A12.2, D9)."""
        require(self.runs(replica) and self.in_minority(replica))
        self.excused |= {m for m in Msg if self.last_to_answer(m, replica)}
        self.replicas[replica].crash()
        self.replicas[replica].posted()
        self.replicas[replica].rejected()
        self.network.end(replica, Reason.BENIGN)

    @helper
    def in_minority(self, replica: Replica) -> bool:
        """Tell whether a process is on a side without majority that may know of it (A12.2)."""
        if self.apart(replica):
            return self.cluster.outvoted()
        return not self.cluster.majority()

    @helper
    def runs(self, replica: Replica) -> bool:
        """Tell whether a process was started and has not ended (D9)."""
        return self.replicas[replica].status == Status.RUNNING and self.present(replica)

    # -- coming together ------------------------------------------------------------------------

    @action
    def heal(self) -> None:
        """The network is whole again: before anything has come of it, or after a side has paused.

        A channel that was not allowed to confirm may go on where it was (A12.4, D9).  But where it
        has noticed, so have the mirrors of a queue that has processes on both sides.
        """
        require(self.one_side_left() or not self.fallen_out())
        self.cluster.heal()

    @helper
    def fallen_out(self) -> bool:
        """Tell whether the two sides have gone their own ways (D9)."""
        split = any(self.replicas[r].leads() and bool(self.strangers(r)) for r in Replica)
        return bool(self.cluster.estranged) or (bool(self.cluster.lost) and split)

    @helper
    def one_side_left(self) -> bool:
        """Tell whether anything goes on on one side at most (D9)."""
        here = self.channel.open or any(not self.apart(r) and self.runs(r) for r in Replica)
        there = any(self.apart(r) and self.runs(r) for r in Replica)
        return not (here and there)

    # -- the guard ------------------------------------------------------------------------------

    @action(fair="weak")
    def flush(self) -> None:
        """The channel tells the publisher what is settled, if its node may speak (A10.4, A12)."""
        require(self.cluster.may_confirm())
        self.cluster.asked()
        super().flush()
