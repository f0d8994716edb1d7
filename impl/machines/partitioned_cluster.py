"""The cluster as the broker holds it: where it listens for clients, and whether that has paused.

With replicas, each index is a node of the spec's `Cluster`, and a process of a mirrored queue is on
the node of its replica.  The broker listens for clients on one of them, which is *home*: of all
channels, and of all queues that have no mirrors.  Which processes are on which side, and who knows
of that, the system says.
"""

from __future__ import annotations

from typing import cast

from ackproof.impl.machines.counted_cluster import CountedCluster
from ackproof.spec.sorts import Node

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
