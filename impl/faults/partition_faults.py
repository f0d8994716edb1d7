"""What can be asked of the network between the nodes of the replicas.

This is a part of `ackproof.impl.faults.faults`, which says which steps of the specification it is.
A partition goes on by itself once it is there: it is noticed, and a minority pauses.  When that
happens, the clock says, or the test.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.impl.faults.replica_faults import ReplicaFaults
from ackproof.impl.steps.steps import Steps

__all__ = ["TICKTIME", "PartitionFaults"]

#: Seconds until nodes notice that they do not hear each other, as in RabbitMQ (A12.7).
TICKTIME = 60.0
#: At most so many, which is more than three years.
_TICKTIME_MAX = 1e8


class PartitionFaults(ReplicaFaults):
    """The faults of a cluster."""

    def partition(self, replicas: Iterable[int], home: int = 0, ticktime: float = TICKTIME) -> None:
        """Cut the network, with the nodes of these replicas on the other side (A12, D9).

        At first nobody knows: what goes across waits.  Then each side gives the other one up, and
        the one that is no majority pauses, a quarter of `ticktime` later.

        Args:
            replicas: whose nodes are cut off from the clients.
            home: the replica whose node the clients are connected to, from now on.
            ticktime: seconds until the nodes notice; 0 for at once.

        Raises:
            ValueError: there is no such partition, or there is one.
        """
        steps = self._clustered()
        if steps.sides.cluster.cut():
            raise ValueError("there is a partition; heal it before you ask for another one")
        away = sorted(self._nodes(steps, replicas))
        (home,) = self._nodes(steps, [home])
        if home in away:
            raise ValueError(
                f"replica {home} is where the clients are; name those on the other side, "
                "or give another home"
            )
        if not away:
            raise ValueError("replicas is empty; name at least one that is cut off")
        if type(ticktime) not in (int, float) or not 0 <= ticktime <= _TICKTIME_MAX:
            raise ValueError(f"ticktime is {ticktime!r}; it must be a number of seconds from 0")
        facts = {
            "replicas": away,
            "home": home,
            "ticktime": ticktime,
            "nodes": steps.context.replicas,
        }
        self._note("partition", **facts)
        steps.partitions.partition(away, home, ticktime)
        self._broker.run(idle=True)

    def notice_partition(self) -> None:
        """Let the nodes notice a partition now: each side gives the other one up (A12.7).

        Raises:
            ValueError: there is no partition.
        """
        steps = self._cut()
        self._note("notice_partition")
        steps.partitions.detect()
        self._broker.run(idle=True)

    def pause_minority(self) -> None:
        """Let a minority pause now: if clients are there, their connections break (A12.2).

        Raises:
            ValueError: there is no partition.
        """
        steps = self._cut()
        self._note("pause_minority")
        steps.partitions.detect()
        self._broker.run(idle=True)
        steps.partitions.stop_minority()
        self._broker.run(idle=True)

    def heal(self) -> None:
        """Mend the network; whoever paused starts again, with nothing (A12.4, D7.2, D9).

        If nobody has noticed anything, all goes on where it was.  Where both sides have gone on
        by themselves, the one that has to pause does that first.

        Raises:
            ValueError: there is no partition.
        """
        steps = self._cut()
        self._note("heal")
        steps.partitions.come_together()
        self._broker.run(idle=True)

    def restart_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Start a process that was killed, if that is on the same side as its master.

        Raises:
            LookupError: there is no queue of this name, or it never had such a process.
            ValueError: the queue has no mirrors, this one runs, or it is cut off.
        """
        steps, queue = self._mirrored(name, vhost, "restart a replica of")
        if steps.sides.cluster.cut():
            steps.partitions.await_running(queue)
            queue = self._queue(name, vhost, "restart a replica of")
            if not queue.running or not steps.sides.beside(replica, queue):
                raise ValueError(
                    f"replica {replica} of queue {name!r} is cut off from its master; "
                    "heal the partition first"
                )
        super().restart_replica(name, replica, vhost)

    def _heal_all(self) -> None:
        steps = self._broker.steps
        if steps.sides.cluster.cut():
            self.heal()

    def _clustered(self) -> Steps:
        steps = self._broker.steps
        if steps.context.replicas == 1:
            raise ValueError("there is one node only; start the broker with replicas")
        return steps

    def _cut(self) -> Steps:
        steps = self._clustered()
        if not steps.sides.cluster.cut():
            raise ValueError("there is no partition; ask for one first")
        return steps

    def _nodes(self, steps: Steps, replicas: Iterable[int]) -> set[int]:
        known = range(steps.context.replicas)
        if isinstance(replicas, str | bytes) or not isinstance(replicas, Iterable):
            raise ValueError(f"replicas is {replicas!r}; it must be a list of numbers")
        named = list(replicas)
        for one in named:
            if type(one) is not int or one not in known:
                raise ValueError(f"there is no replica {one!r}; there are 0 to {known[-1]}")
        return set(named)
