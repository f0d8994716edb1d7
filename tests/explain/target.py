"""What the stateful test is pointed at: where a broker listens, and which faults it can be given.

A broker that can be given none is tested all the same, by what its clients can do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from ackproof.impl.running import RunningBroker

__all__ = ["Ours", "Target", "Theirs", "ours"]


class Target(Protocol):
    """A broker that speaks AMQP 0-9-1.

    Attributes:
        host: address it listens on.
        port: port it listens on.
        faults: the names of those methods below that it has.
        patience: seconds to wait for what must come.
    """

    host: str
    port: int
    faults: frozenset[str]
    patience: float

    def schedule(self, order: int) -> None:
        """Take steps in an order drawn by this number, if that can be chosen."""

    def crash_queue(self, name: str) -> bool:
        """Crash the process of a queue, which starts again by itself; False if it is down."""

    def restart_node(self) -> None:
        """Kill the broker and start it again, on the same port and the same disk."""

    def hold_fsync(self) -> None:
        """Let no fsync return from now on."""

    def release_fsync(self) -> None:
        """Let them return again."""

    def check(self) -> None:
        """Ask the broker itself whether all was well; raise AssertionError if not."""


class Ours:
    """The reference broker, in this process."""

    patience = 20.0

    def __init__(self, broker: RunningBroker, faults: frozenset[str]) -> None:
        self.host, self.port, self.faults = broker.host, broker.port, faults
        self._seeded = broker.seed is not None
        self._broker = broker
        self.restart_node = broker.restart_node
        self.hold_fsync = broker.hold_fsync
        self.release_fsync = broker.release_fsync
        self.check = broker.check

    def schedule(self, order: int) -> None:
        """Draw the order by this number, if it is drawn at all."""
        if self._seeded:
            self._broker.schedule(order)

    def crash_queue(self, name: str) -> bool:
        """Crash the process of a queue, which starts again by itself; False if it is down."""
        try:
            self._broker.crash_queue(name)
        except ValueError:
            return False
        return True


class Theirs:
    """Any other broker, which is left alone: only what its clients do happens to it."""

    faults: frozenset[str] = frozenset()
    patience = 20.0

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.host, self.port = host, port

    def schedule(self, order: int) -> None:
        """Do nothing: it takes its own order."""

    def crash_queue(self, name: str) -> bool:
        """Refuse: this is not possible from outside."""
        raise NotImplementedError("crash_queue is not among the faults of this broker")

    def hold_fsync(self) -> None:
        """Refuse: this is not possible from outside."""
        raise NotImplementedError("this is not among the faults of this broker")

    restart_node = release_fsync = hold_fsync

    def check(self) -> None:
        """Do nothing: it cannot be asked."""


@contextmanager
def ours(seed: int | None = None) -> Iterator[Ours]:
    """Give a fresh broker, which takes its steps in the usual order or in one drawn by `seed`.

    With a seed the disk cannot be held: what has landed may be noticed much later.
    """
    faults = {"crash_queue", "restart_node"} | ({"hold_fsync"} if seed is None else set())
    with RunningBroker(seed=seed) as broker:
        yield Ours(broker, frozenset(faults))
