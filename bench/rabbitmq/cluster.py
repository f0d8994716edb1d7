"""Two nodes in a cluster, each queue on both: a master, and a mirror that is kept in step.

The policy mirrors every queue whose name begins with `ha.` to all nodes, and fills new mirrors at
once.  A queue's master is on the node that its creator is connected to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from bench.rabbitmq.node import Node
from bench.rabbitmq.site import BOOT_SECONDS, site, wait_until

__all__ = ["PREFIX", "Cluster", "cluster", "resource"]

PREFIX = "ha."

#: Seconds in which a mirror of few messages is in step.
_STEP_SECONDS = 20.0

_POLICY = {"ha-mode": "all", "ha-sync-mode": "automatic"}


def resource(queue: str) -> str:
    """Return the Erlang expression for a queue's name."""
    return f'rabbit_misc:r(<<"/">>,queue,<<"{queue}">>)'


class Cluster:
    """Two nodes that know each other."""

    def __init__(self, first: Node, second: Node) -> None:
        self.first = first
        self.second = second

    def join(self, prefix: str = PREFIX, **policy: str) -> None:
        """Make one cluster of two nodes that are up, and set the policy.

        Args:
            prefix: what the names of queues begin with that are to be mirrored.
            policy: more that holds for these.

        Raises:
            Failed: `rabbitmqctl` did.
        """
        for command in (["stop_app"], ["join_cluster", self.first.name], ["start_app"]):
            self.second.ctl(*command)
        pattern = f"^{prefix.replace('.', '[.]')}"
        text = json.dumps({**_POLICY, **policy})
        self.first.ctl("set_policy", "ha", pattern, text, "--apply-to", "queues")

    def restart_first(self) -> None:
        """Start the first node again after it was killed, and wait until it has joined.

        Raises:
            Failed: it takes too long.
        """
        self.first.start()
        self.first.ready()

    def in_step(self) -> None:
        """Wait until each queue has a mirror in step, but for those that belong to a connection.

        Raises:
            Failed: it takes too long.
        """
        question = (
            "lists:all(fun(Q)->amqqueue:get_exclusive_owner(Q)=/=none"
            " orelse length(amqqueue:get_sync_slave_pids(Q))=:=1 end,rabbit_amqqueue:list())."
        )

        def so() -> bool:
            return self.first.eval(question) == "true"

        wait_until("mirrors in step", so, _STEP_SECONDS, self.first.log)

    def mirrored(self, queue: str) -> None:
        """Wait until a queue has its master on the first node, and a mirror in step.

        Raises:
            Failed: it takes too long.
        """
        question = (
            f"{{ok,Q}}=rabbit_amqqueue:lookup({resource(queue)}),"
            f"node(amqqueue:get_pid(Q))=:='{self.first.name}'"
            " andalso length(amqqueue:get_sync_slave_pids(Q))=:=1."
        )

        def in_step() -> bool:
            return self.first.eval(question) == "true"

        wait_until(f"the mirror of {queue}", in_step, BOOT_SECONDS, self.first.log)


@contextmanager
def cluster(prefix: str = PREFIX, **policy: str) -> Iterator[Cluster]:
    """Give a cluster of two nodes, and remove every trace of it.

    Args:
        prefix: what the names of queues begin with that are to be mirrored.
        policy: more that holds for these.

    Raises:
        Missing: RabbitMQ is not installed.
        Failed: it does not start.
    """
    with ExitStack() as stack:
        here = stack.enter_context(site())
        nodes = [stack.enter_context(Node(here, name)) for name in ("r1", "r2")]
        for node in nodes:
            node.start()
        for node in nodes:
            node.ready()
        pair = Cluster(*nodes)
        pair.join(prefix, **policy)
        yield pair
