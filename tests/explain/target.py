"""What the stateful test is pointed at: where a broker listens, and which faults it can be given.

A broker that can be given none is tested all the same, by what its clients can do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol
from unittest.mock import patch

from ackproof.impl.running import RunningBroker
from ackproof.impl.storage import batch_commit

__all__ = ["OF_CLUSTERS", "OF_MIRRORS", "Ours", "Target", "Theirs", "ours"]

#: The faults of the reference broker, whatever the order of its steps.
FAULTS = frozenset(
    {
        "block",
        "crash_next",
        "crash_queue",
        "delay_confirms",
        "delete_next",
        "delete_queue",
        "drop_connection",
        "fail_writes",
        "nack_next",
        "reorder_confirms",
        "restart_node",
        "withhold_confirms",
    }
)
#: Those of mirrored queues.  Where there are mirrors, a node is not restarted.
OF_MIRRORS = frozenset({"kill_replica", "restart_replica", "slow_replica"})
#: Those of clusters, and what else may happen there while all processes of a queue run.
OF_CLUSTERS = frozenset({"nack_next", "partition", "withhold_confirms"})


class Target(Protocol):
    """A broker that speaks AMQP 0-9-1.

    Attributes:
        host: address it listens on.
        port: port it listens on.
        faults: what it can be asked to do wrong, by the names of the reference broker.
        patience: seconds to wait for what must come.
    """

    host: str
    port: int
    faults: frozenset[str]
    patience: float

    def schedule(self, order: int) -> None:
        """Take steps in an order drawn by this number, if that can be chosen."""

    def strike(self, fault: str, *args: Any, **about: Any) -> None:
        """Ask for a fault, or release what one has held; for one of `faults` only."""

    def check(self) -> None:
        """Ask the broker itself whether all was well; raise AssertionError if not."""


class Ours:
    """The reference broker, in this process."""

    patience = 20.0

    def __init__(self, broker: RunningBroker, faults: frozenset[str]) -> None:
        self.host, self.port, self.faults = broker.host, broker.port, faults
        self._seeded = broker.seed is not None
        self._broker = broker
        self.check = broker.check

    def schedule(self, order: int) -> None:
        """Draw the order by this number, if it is drawn at all."""
        if self._seeded:
            self._broker.schedule(order)

    def strike(self, fault: str, *args: Any, **about: Any) -> None:
        """Ask for a fault by the name of the broker's method."""
        getattr(self._broker, fault)(*args, **about)


class Theirs:
    """Any other broker, which is left alone: only what its clients do happens to it."""

    faults: frozenset[str] = frozenset()
    patience = 20.0

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.host, self.port = host, port

    def schedule(self, order: int) -> None:
        """Do nothing: it takes its own order."""

    def strike(self, fault: str, *args: Any, **about: Any) -> None:
        """Refuse: nothing can be asked of it."""
        raise LookupError(f"{fault} is not among the faults of this broker, which has none")

    def check(self) -> None:
        """Do nothing: it cannot be asked."""


@contextmanager
def ours(seed: int | None = None, replicas: int = 1) -> Iterator[Ours]:
    """Give a fresh broker, which takes its steps in the usual order or in one drawn by `seed`.

    With a seed the disk cannot be held: what has landed may be noticed much later.
    """
    faults = FAULTS
    if seed is None:
        faults |= {"hold_fsync"}
    if replicas > 2:
        faults = OF_CLUSTERS
    elif replicas > 1:
        faults = (faults | OF_MIRRORS) - {"restart_node"}
    with (
        patch.object(batch_commit, "RETRY", 0.02),
        RunningBroker(seed=seed, replicas=replicas) as broker,
    ):
        yield Ours(broker, faults)
