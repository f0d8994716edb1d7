"""Partitioning: the cluster falls apart, both sides go on for a while, and come together again.

If the mode is pause_minority (A12.2, D9), a side without a majority pauses, which breaks its
clients' connections and stops every process there.  It takes a while to find out; in between,
either side may do what it did before, and a mirror that sees its master no more is promoted, since
promotion asks for no majority (D5.1, D9).  So a queue may have two masters.  That a master has died
is not known across the partition before the two sides have given each other up.  When the partition
is over, what had paused starts again, empty (D7.2).

With autoheal and ignore (`Cluster.pausing` is False) both sides go on until the network is whole
again.  Then one of the two stops in the same way, and starts again, empty: what it alone has
confirmed is lost (A12.1, D8 L2).

All channels are on one node, `home`.

A confirm is worth what the channel knew when it sent it.  While nobody has noticed anything, that
is not enough (D8 L3): an acked message may be on the losing side only.  `AckedIsAvailable` promises
to each side what a running process of that side has vouched for; what the other side alone has, may
be lost with it.  `NoAckFromMinority` is what can be promised besides, and what the guard is for.
"""

from __future__ import annotations

from ackproof.lang import Set, action, fault, handler, helper, require
from ackproof.spec.failing import Failing
from ackproof.spec.sorts import ChannelId, Msg, Node, Replica, Side, Status

__all__ = ["Partitioning"]


class Partitioning(Failing):
    """Network partitions, and what the modes make of them (A12, D9)."""

    # -- coming apart ---------------------------------------------------------------------------

    @fault
    def partition(self, nodes: Set[Node]) -> None:
        """The network falls apart, with these nodes on the other side (D9)."""
        require(not any(self.home == n for n in nodes))
        self.cluster.part(nodes)

    @action(fair="weak")
    def notice(self, node: Node) -> None:
        """The channels' node gives up a node: all processes there are down to it (A9, A12.7).

        So consumers that were started with them are told that their queue is gone (F3.3).
        """
        self.cluster.notice(node)
        there = {r for r in Replica if self.replicas[r].node == node}
        self.excused |= {m for m in Msg if any(self.last_to_answer(m, r) for r in there)}
        for replica in there:
            self.give_up(replica)
        self.lose_consumers(there)

    @handler
    def give_up(self, replica: Replica) -> None:
        """What is between the channels and a process is lost, and each counts the other as gone.

        A mirror forgets what it has from a channel only, as when the channel closes (D4.18).  What
        a consumer has it has for itself from now on: the queue hands it out anew, to others.
        """
        if self.replicas[replica].mirrors():
            self.replicas[replica].forget_sender(set(self.replicas[replica].known()))
        for channel in ChannelId:
            self.casts[channel].give_up(replica)
        self.replicas[replica].silence()
        for msg in Msg:
            self.owing[msg].discard(replica)
        self.acks_across[replica].clear()

    @action(fair="weak")
    def estrange(self, master: Replica) -> None:
        """A master and its mirrors on the other side give each other up, as if dead (D9).

        A mirror has got from its master what it got, and nothing else will come (D1.3).  The master
        may have died meanwhile: over there nobody knows.
        """
        require(self.replicas[master].leads() or self.was_last_master(master))
        require(bool(self.strangers(master)) and not self.divided(master))
        self.cluster.estranged.add(master)
        self.multicast.equalise(set(self.strangers(master)))

    @action
    def lose_side(self, side: Side) -> None:
        """One side has to start again before the two come together: nobody has paused (A12.1, D9).

        With autoheal the cluster chooses it, by the number of clients and of nodes (D8 L2), with
        ignore an administrator: so it may be either.
        """
        self.cluster.lose(side)

    @action(fair="weak")
    def pause(self, channel: ChannelId) -> None:
        """The channels' node pauses, or starts again: connections break (A12.2, D9).

        The consumers' connection is to the same node.
        """
        require(self.cluster.stops_here())
        require(self.connected(channel))
        if self.channels[channel].open:
            self.shut_down(channel)
        if self.tagged:
            self.end_consumers(channel)

    @helper
    def connected(self, channel: ChannelId) -> bool:
        """Tell whether a publisher, or its consumers, have a connection (A12.2)."""
        consuming = self.tagged and self.consuming[channel].open
        return self.channels[channel].open or consuming

    @action(fair="weak")
    def halt(self, replica: Replica) -> None:
        """The node of a process pauses, or starts again, on either side (A12.2, D9, F3.3).

        As in `lose_node`, no queues share bodies there.
        """
        require(self.runs(replica) and self.must_stop(replica))
        require(not self.replicas[replica].store.apart)
        self.cluster.halt(replica)
        self.leave(replica)

    @helper
    def must_stop(self, replica: Replica) -> bool:
        """Tell whether a process is on a side that has to stop, and may know it (A12.2, D9)."""
        if self.apart(replica):
            return self.cluster.stops_there()
        return self.cluster.stops_here()

    # -- coming together ------------------------------------------------------------------------

    @action
    def heal(self) -> None:
        """The network is whole again: before anything has come of it, or after a side has stopped.

        A channel that was not allowed to confirm may go on where it was (A12.4, D9).  But where its
        node has given up some processes of a queue and not others, what it has sent to them is not
        the same any more: it gives up the others first, or is given up by them (D8 L3).

        Consumers whose queue has ended meanwhile are told that now (F3.3).
        """
        require(self.one_side_left() or not self.fallen_out())
        self.cluster.heal()
        self.struck |= {r for r in Replica if self.replicas[r].status == Status.DOWN}
        self.cancel_all({r for r in Replica if not self.replicas[r].leads()})

    @helper
    def fallen_out(self) -> bool:
        """Tell whether the two sides have gone their own ways, or one has to stop (D9)."""
        parted = bool(self.cluster.estranged) or self.cluster.losing != Side.NEITHER
        return parted or any(
            self.runs(r) and self.given_up(r) and self.keeps_some(r) for r in Replica
        )

    @helper
    def keeps_some(self, replica: Replica) -> bool:
        """Tell whether the channels' node has not given up all that runs of a queue (A9, D8 L3)."""
        return any(self.runs(r) and not self.given_up(r) for r in self.siblings(replica))

    @helper
    def one_side_left(self) -> bool:
        """Tell whether anything goes on on one side at most (D9)."""
        here = any(self.connected(c) for c in ChannelId) or any(
            not self.apart(r) and self.runs(r) for r in Replica
        )
        there = any(self.apart(r) and self.runs(r) for r in Replica)
        return not (here and there)
