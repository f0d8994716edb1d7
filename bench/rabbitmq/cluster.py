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

_POLICY = {"ha-mode": "all", "ha-sync-mode": "automatic"}


def resource(queue: str) -> str:
    """Return the Erlang expression for a queue's name."""
    return f'rabbit_misc:r(<<"/">>,queue,<<"{queue}">>)'


class Cluster:
    """Two nodes that know each other."""

    def __init__(self, first: Node, second: Node) -> None:
        self.first = first
        self.second = second

    def join(self) -> None:
        """Make one cluster of two nodes that are up, and set the policy.

        Raises:
            Failed: `rabbitmqctl` did.
        """
        for command in (["stop_app"], ["join_cluster", self.first.name], ["start_app"]):
            self.second.ctl(*command)
        pattern = f"^{PREFIX.replace('.', '[.]')}"
        self.first.ctl("set_policy", "ha", pattern, json.dumps(_POLICY), "--apply-to", "queues")

    def restart_first(self) -> None:
        """Start the first node again after it was killed, and wait until it has joined.

        Raises:
            Failed: it takes too long.
        """
        self.first.start()
        self.first.ready()

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
def cluster() -> Iterator[Cluster]:
    """Give a cluster of two nodes, and remove every trace of it.

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
        pair.join()
        yield pair
