"""The cluster of a broker: as many nodes as it was told to have.

The specification counts the elements of a sort; here nobody lists them.
"""

from __future__ import annotations

from ackproof.spec.cluster import Cluster

__all__ = ["CountedCluster"]


class CountedCluster(Cluster):
    """Who sees whom, among a number of nodes (A12, D9).

    Attributes:
        nodes: how many there are.
    """

    nodes: int = 1

    def size(self) -> int:
        """Return how many nodes the cluster has, seen or not (A12.2)."""
        return self.nodes
