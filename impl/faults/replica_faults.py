"""What can be asked to go wrong with the processes of a mirrored queue.

This is a part of `ackproof.impl.faults.faults`, which says which steps of the specification it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.impl.faults.fault_target import FaultGroup
from ackproof.impl.steps.steps import Steps

if TYPE_CHECKING:
    from ackproof.impl.machines.queue_processes import HostedQueue

__all__ = ["ReplicaFaults"]


class ReplicaFaults(FaultGroup):
    """The faults of mirrored queues."""

    def kill_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Kill the node of one process of a queue, with all that the process had sent (D5, D7.1).

        If that was the master, the oldest synchronised mirror is promoted.  The others decide about
        what waited for it.  The last one comes back by itself, from its files.

        Args:
            name: the queue.
            replica: which of its processes, from 0.
            vhost: where the queue is.

        Raises:
            LookupError: there is no queue of this name, or no such process runs.
            ValueError: the queue has no mirrors.
        """
        steps, queue = self._mirrored(name, vhost, "kill a replica of")
        process = self._process(queue, replica)
        self._note("kill_replica", queue=name, vhost=vhost, replica=replica)
        steps.processes.kill(process)
        self._broker.run(idle=True)

    def restart_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Start a process that was killed, as the youngest mirror, with nothing (C5.4, D7.2).

        It is given all that its master has.

        Raises:
            LookupError: there is no queue of this name, or it never had such a process.
            ValueError: the queue has no mirrors, or this one runs.
        """
        steps, queue = self._mirrored(name, vhost, "restart a replica of")
        if replica not in range(steps.context.replicas):
            raise LookupError(
                f"there is no replica {replica}; there are 0 to {steps.context.replicas - 1}"
            )
        steps.partitions.await_running(queue)
        queue = self._queue(name, vhost, "restart a replica of")
        assert queue.membership is not None
        if queue.membership.process(replica) is not None:
            raise ValueError(f"replica {replica} of queue {name!r} runs")
        self._note("restart_replica", queue=name, vhost=vhost, replica=replica)
        steps.processes.join(queue, replica)
        self._broker.run(idle=True)

    def slow_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Let a mirror take no step until it is released, or it is needed as a master.

        Raises:
            LookupError: there is no queue of this name, or no such process runs.
            ValueError: the queue has no mirrors, or this process is its master.
        """
        _, queue = self._mirrored(name, vhost, "slow a replica of")
        process = self._process(queue, replica)
        if process.machine.led():
            raise ValueError(f"replica {replica} of queue {name!r} is its master; slow a mirror")
        self._note("slow_replica", queue=name, vhost=vhost, replica=replica)
        process.slow = True

    def release_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Let a mirror take its steps again.

        Raises:
            LookupError: there is no queue of this name, or no such process runs.
            ValueError: the queue has no mirrors.
        """
        steps, queue = self._mirrored(name, vhost, "release a replica of")
        process = self._process(queue, replica)
        self._note("release_replica", queue=name, vhost=vhost, replica=replica)
        steps.processes.hasten(process)
        self._broker.run(idle=True)

    def _mirrored(self, name: str, vhost: str, verb: str) -> tuple[Steps, HostedQueue]:
        queue = self._queue(name, vhost, verb)
        steps = self._broker.steps
        if queue.membership is None:
            raise ValueError(
                f"queue {name!r} has no mirrors; durable queues have them that are not exclusive, "
                "on a broker with replicas"
            )
        return steps, queue

    def _process(self, queue: HostedQueue, replica: int) -> HostedQueue:
        assert queue.membership is not None
        process = queue.membership.process(replica)
        if process is None:
            running = sorted(one.replica for one in queue.membership if one.running)
            known = ", ".join(map(str, running)) or "none"
            raise LookupError(
                f"there is no replica {replica!r} of queue {queue.name!r}; there run: {known}"
            )
        return process

    def _release_replicas(self) -> None:
        steps = self._broker.steps
        for host in self._broker.vhosts.values():
            for queue in host.queues.values():
                for process in queue.membership or ():
                    if process.slow:
                        steps.processes.hasten(process)
