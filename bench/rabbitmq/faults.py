"""What makes RabbitMQ fail while programs of the conformance kit run.

Queues are reached in Erlang on the node, nodes by signals: `kill -9` and a new start, SIGSTOP and
SIGCONT.  A queue process is suspended by `sys:suspend`, which outlasts the connection that has
asked for it; `erlang:suspend_process` would not.

What is to be resumed may be gone by then, deleted or killed, and that is no error.

Of two nodes, clients are connected to one, and the other is its *peer*; each queue is on both.  A
mirror that is promoted before it has all that its master has costs messages, and nobody promises
otherwise (D8).  So nothing is killed before all mirrors are in step.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from ackproof.conform.kit.control import ControlError
from ackproof.conform.kit.operations import FAILING

from bench.process import Failed
from bench.rabbitmq.cluster import Cluster, resource
from bench.rabbitmq.node import Node

__all__ = ["NodeControl", "PairControl"]

#: What is done to a queue's process, in Erlang.
_TO_A_QUEUE = {
    "crash_queue": "exit(amqqueue:get_pid(Q),kill)",
    "suspend_queue": "catch sys:suspend(amqqueue:get_pid(Q),5000)",
    "resume_queue": "catch sys:resume(amqqueue:get_pid(Q),5000)",
    "suspend_mirror": "[catch sys:suspend(P,5000)||P<-amqqueue:get_slave_pids(Q)]",
    "resume_mirror": "[catch sys:resume(P,5000)||P<-amqqueue:get_slave_pids(Q)]",
}

#: Lets all processes of queues go on, those of mirrors included.
_RESUME_ALL = (
    "[catch sys:resume(P,1000)||Q<-rabbit_amqqueue:list(),"
    "P<-[amqqueue:get_pid(Q)|amqqueue:get_slave_pids(Q)],node(P)=:=node()],done."
)


class NodeControl:
    """Makes one node fail.

    Args:
        node: which one; it runs.

    Attributes:
        faults: those that it causes: all but those of the disk.
    """

    faults: Sequence[str] = (
        *("crash_queue", "restart_node"),
        *("suspend_queue", "resume_queue", "suspend_node", "resume_node"),
    )

    def __init__(self, node: Node) -> None:
        self._node = node

    def strike(self, fault: str, queue: str) -> None:
        """Cause a fault, of a queue if it is one of queues.

        Raises:
            ControlError: the node does not do it.
        """
        try:
            self._strike(fault, queue)
        except Failed as error:
            raise ControlError(str(error)) from None

    def _strike(self, fault: str, queue: str) -> None:
        if fault in _TO_A_QUEUE:
            self._node.eval(
                f"case rabbit_amqqueue:lookup({resource(queue)}) of "
                f"{{ok,Q}} -> {_TO_A_QUEUE[fault]}, done; _ -> gone end."
            )
        elif fault == "restart_node":
            self._restart(self._node)
        else:
            self._signal(self._node, fault)

    def _restart(self, node: Node) -> None:
        node.kill()
        node.start()
        node.ready()

    def _signal(self, node: Node, fault: str) -> None:
        stop = fault.startswith("suspend")
        os.kill(node.pid, signal.SIGSTOP if stop else signal.SIGCONT)


class PairControl(NodeControl):
    """Makes two nodes fail that have all queues together.

    Args:
        pair: the two; clients are connected to the first.

    Attributes:
        faults: those of one node, and those of its peer and of mirrors.
    """

    faults: Sequence[str] = (
        *NodeControl.faults,
        *("restart_peer", "suspend_peer", "resume_peer", "suspend_mirror", "resume_mirror"),
    )

    def __init__(self, pair: Cluster) -> None:
        super().__init__(pair.first)
        self._pair = pair

    def _strike(self, fault: str, queue: str) -> None:
        if fault in FAILING:
            self._signal(self._pair.first, "resume")  # it is asked
            self._pair.in_step()
        if fault == "restart_peer":
            self._restart(self._pair.second)
        elif fault.endswith("_peer"):
            self._signal(self._pair.second, fault)
        else:
            super()._strike(fault, queue)

    def _restart(self, node: Node) -> None:
        """Kill a node; what is left has to run, or the node does not start, and gets no mirrors."""
        node.kill()
        (other,) = {self._pair.first, self._pair.second} - {node}
        self._signal(other, "resume")
        other.eval(_RESUME_ALL)
        node.start()
        node.ready()
        self._pair.in_step()
