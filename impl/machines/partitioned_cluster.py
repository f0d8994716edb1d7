"""The cluster as the broker holds it: who is on which side of a partition.

With replicas, each index is a node of the spec's `Cluster`, and a process of a mirrored queue is on
the node of its replica.  The broker listens for clients on one of them, which is *home*: of all
channels, and of all queues that have no mirrors.

What is asked here of two processes, `ackproof.spec.partitioning` asks under the same names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ackproof.impl.machines.counted_cluster import CountedCluster
from ackproof.spec.sorts import Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue

__all__ = ["PartitionedCluster"]


class PartitionedCluster(CountedCluster):
    """The spec's cluster, and where the processes of queues are in it.

    Attributes:
        home: the one that clients are connected to.
        paused: home has paused; there are no clients.
    """

    home: int = 0
    paused: bool = False

    def name(self, replica: int) -> Node:
        """Return what the spec's machine calls the node of a replica."""
        return cast(Node, replica)

    def node(self, queue: HostedQueue) -> Node:
        """Return the node that a process is on."""
        return self.name(self.home if queue.membership is None else queue.replica)

    def apart(self, queue: HostedQueue) -> bool:
        """Tell whether a process is on the other side from the clients (D9)."""
        return bool(self.away) and self.node(queue) in self.away

    def linked(self, one: HostedQueue, other: HostedQueue) -> bool:
        """Tell whether two processes are on the same side (D9)."""
        return self.apart(one) == self.apart(other)

    def beside(self, replica: int, queue: HostedQueue) -> bool:
        """Tell whether the node of a replica is on the same side as a process (D9)."""
        return (self.name(replica) in self.away) == self.apart(queue)

    def given_up(self, queue: HostedQueue) -> bool:
        """Tell whether home has given up the node of a process (A9)."""
        return bool(self.lost) and self.node(queue) in self.lost

    def divided(self, leader: HostedQueue) -> bool:
        """Tell whether a master and its mirrors on the other side have given each other up (D9)."""
        return leader.key in self.estranged

    def strangers(self, leader: HostedQueue, mirrors: Iterable[HostedMirror]) -> list[HostedMirror]:
        """Return those of a master's mirrors that are on the other side (D9)."""
        return [mirror for mirror in mirrors if not self.linked(mirror, leader)]

    def in_minority(self, queue: HostedQueue) -> bool:
        """Tell whether a process is on a side without majority that may know of it (A12.2)."""
        if not self.away:
            return False
        return self.outvoted() if self.apart(queue) else not self.majority()

    def stands(self, queue: HostedQueue) -> bool:
        """Tell whether the node of a process has paused, as far as home can tell (A12.2)."""
        return self.given_up(queue) and self.outvoted() if self.apart(queue) else self.paused
