"""The cluster: which nodes the channel's node can see, and whether it may speak for the cluster.

A partition cuts the cluster in two.  `away` are the nodes on the other side from the channel; that
is the truth, and at first nobody knows it: what is sent across waits (A12.7).  One by one the
channel's node notices that it hears nothing from a node; `lost` are those it has given up, and with
them all processes there (A9: noconnection is benign).

What becomes of two sides that have gone on without each other, the mode says (D9).  With
pause_minority a node that sees no strict majority of the cluster must not confirm anything (A12.2):
the rest may have gone on without it.  So the channel asks before each flush (A10.4), and keeps what
it has to say for as long as the answer is no (A12.4).  With autoheal and ignore nobody pauses, and
everybody confirms (A12.1); afterwards one side is `losing`: it starts again, with nothing.  It may
be either.  Whoever has stopped with its node is `halted`, and nothing starts on that node before
the partition is over.

Without any `Node` in the instance there is no partition, and the answer is always yes.
"""

from __future__ import annotations

from ackproof.lang import Const, Ghost, Process, Set, handler, helper, require
from ackproof.spec.sorts import Node, Replica, Side

__all__ = ["Cluster"]


class Cluster(Process):
    """Who sees whom, from the channel's node (A12, D9)."""

    pausing: Const[bool] = True  # whether the mode is pause_minority

    away: Set[Node]
    lost: Set[Node]
    estranged: Set[Replica]  # masters whose mirrors on the other side have given them up
    halted: Set[Replica]  # processes that have stopped with their nodes
    losing: Side  # the one that has to start again, if nobody pauses

    parted: Ghost[bool]  # whether there has been a partition

    @helper
    def cut(self) -> bool:
        """Tell whether there is a partition (D9)."""
        return bool(self.away)

    @helper
    def size(self) -> int:
        """Return how many nodes the cluster has, seen or not (A12.2)."""
        return len(Node)

    @helper
    def majority(self) -> bool:
        """Tell whether the channel's node sees more than half of the cluster (A12.2)."""
        return not self.lost or 2 * len(self.lost) < self.size()

    @helper
    def outvoted(self) -> bool:
        """Tell whether the nodes on the other side are no more than half of the cluster (A12.2)."""
        return 2 * len(self.away) <= self.size()

    @helper
    def stops_here(self) -> bool:
        """Tell whether the channels' node has to stop, and to start again later (A12.2, D9)."""
        return not self.majority() if self.pausing else self.losing == Side.HERE

    @helper
    def stops_there(self) -> bool:
        """Tell whether the nodes on the other side have to (A12.2, D9)."""
        return self.outvoted() if self.pausing else self.losing == Side.THERE

    @helper
    def may_confirm(self) -> bool:
        """Answer the channel that asks before a flush (A10.4, A12.1, A12.2, A12.4)."""
        return not self.pausing or self.majority()

    @helper
    def noticed(self) -> bool:
        """Tell whether anybody knows of the partition (A12.7)."""
        return bool(self.lost) or bool(self.estranged)

    @handler
    def asked(self) -> None:
        """The channel has asked; whoever keeps the answer for later (A12.3) overrides this."""

    @handler
    def part(self, nodes: Set[Node]) -> None:
        """The connections to these nodes break, and nobody knows yet (A12.7)."""
        require(not self.away and bool(nodes))
        self.away = set(nodes)
        self.parted = True

    @handler
    def notice(self, node: Node) -> None:
        """The channel's node gives up a node (A12.3, A12.7)."""
        require(node in self.away and node not in self.lost)
        self.lost.add(node)

    @handler
    def lose(self, side: Side) -> None:
        """One side has to start again, as nobody has paused (D9)."""
        require(not self.pausing and self.noticed())
        require(self.losing == Side.NEITHER and side != Side.NEITHER)
        self.losing = side

    @handler
    def halt(self, replica: Replica) -> None:
        """The node of a process has stopped, and waits for the other side (A12.2, D9)."""
        self.halted.add(replica)

    @handler
    def heal(self) -> None:
        """All nodes see each other again (A12.4, D9)."""
        require(bool(self.away))
        self.away.clear()
        self.lost.clear()
        self.estranged.clear()
        self.halted.clear()
        self.losing = Side.NEITHER
