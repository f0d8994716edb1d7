"""What makes a RabbitMQ node fail while programs of the conformance kit run.

Queues are reached in Erlang on the node, the node by signals: `kill -9` and a new start, SIGSTOP
and SIGCONT.  A queue process is suspended by `sys:suspend`, which outlasts the connection that has
asked for it; `erlang:suspend_process` would not.

What is to be resumed may be gone by then, deleted or killed, and that is no error.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from ackproof.conform.kit.control import ControlError
from ackproof.conform.kit.operations import FAULTS

from bench.process import Failed
from bench.rabbitmq.cluster import resource
from bench.rabbitmq.node import Node

__all__ = ["NodeControl"]

#: What is done to a queue's process, in Erlang.
_TO_A_QUEUE = {
    "crash_queue": "exit(Pid,kill)",
    "suspend_queue": "sys:suspend(Pid,5000)",
    "resume_queue": "sys:resume(Pid,5000)",
}


class NodeControl:
    """Makes one node fail.

    Args:
        node: which one; it runs.

    Attributes:
        faults: those that it causes: all but those of the disk.
    """

    faults: Sequence[str] = tuple(fault for fault in FAULTS if not fault.endswith("_fsync"))

    def __init__(self, node: Node) -> None:
        self._node = node

    def strike(self, fault: str, queue: str) -> None:
        """Cause a fault, of a queue if it is one of queues.

        Raises:
            ControlError: the node does not do it.
        """
        try:
            if fault in _TO_A_QUEUE:
                self._reach(queue, _TO_A_QUEUE[fault])
            elif fault == "restart_node":
                self._node.kill()
                self._node.start()
                self._node.ready()
            else:
                stop = fault == "suspend_node"
                os.kill(self._node.pid, signal.SIGSTOP if stop else signal.SIGCONT)
        except Failed as error:
            raise ControlError(str(error)) from None

    def _reach(self, queue: str, what: str) -> None:
        self._node.eval(
            f"case rabbit_amqqueue:lookup({resource(queue)}) of "
            f"{{ok,Q}} -> Pid=amqqueue:get_pid(Q), catch {what}, done; _ -> gone end."
        )
