"""Faults, asked for in one thread of a broker that runs in another.

What each of them does is in `ackproof.impl.faults.faults`, and for those of mirrored queues and of
the cluster in `replica_faults` and `partition_faults` beside it; here a request is handed over, and
its answer waited for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ackproof.impl.faults.partition_faults import TICKTIME

if TYPE_CHECKING:
    from ackproof.impl.faults.confirm_reordering import Order
    from ackproof.impl.faults.connection_faults import Which
    from ackproof.impl.node import Node

__all__ = ["ThreadsafeFaults"]

T = TypeVar("T")


class ThreadsafeFaults(ABC):
    """Everything that can be asked to go wrong, from another thread."""

    @abstractmethod
    def _call(self, question: Callable[[Node], T]) -> T:
        """Call a function with the node, in its thread; return what it returns."""

    @abstractmethod
    def _wait_for(self, work: Callable[[Node], Coroutine[Any, Any, T]]) -> T:
        """Do something that takes its time, in the thread of the node; return what it returns."""

    def crash_queue(self, name: str, vhost: str = "/") -> None:
        """Crash the process of a queue; what it had not confirmed is nacked.

        Raises:
            LookupError: there is no queue of this name.
        """
        self._call(lambda node: node.broker.faults.crash_queue(name, vhost))

    def delete_queue(self, name: str, vhost: str = "/") -> None:
        """Delete a queue with all its messages; what it had not confirmed is acked.

        Raises:
            LookupError: there is no queue of this name.
        """
        self._call(lambda node: node.broker.faults.delete_queue(name, vhost))

    def kill_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Kill one process of a mirrored queue; if it was the master, a mirror is promoted.

        Args:
            name: the queue.
            replica: which of its processes, from 0, which leads at first.
            vhost: where the queue is.

        Raises:
            LookupError: there is no queue of this name, or no such process runs.
            ValueError: the queue has no mirrors.
        """
        self._call(lambda node: node.broker.faults.kill_replica(name, replica, vhost))

    def restart_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Start a process that was killed, as a mirror with nothing, which is synchronised.

        Raises:
            LookupError: there is no queue of this name, or it never had such a process.
            ValueError: the queue has no mirrors, or this one runs.
        """
        self._call(lambda node: node.broker.faults.restart_replica(name, replica, vhost))

    def slow_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Let a mirror do nothing until it is released.

        Raises:
            LookupError: there is no queue of this name, or no such process runs.
            ValueError: the queue has no mirrors, or this process is its master.
        """
        self._call(lambda node: node.broker.faults.slow_replica(name, replica, vhost))

    def release_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Let a mirror work again.

        Raises:
            LookupError: there is no queue of this name, or no such process runs.
            ValueError: the queue has no mirrors.
        """
        self._call(lambda node: node.broker.faults.release_replica(name, replica, vhost))

    def partition(self, replicas: Iterable[int], home: int = 0, ticktime: float = TICKTIME) -> None:
        """Cut the network, with the nodes of these replicas on the other side from the clients.

        Args:
            replicas: whose nodes are cut off.
            home: the replica whose node the clients are connected to, from now on.
            ticktime: seconds until the nodes notice; 0 for at once.

        Raises:
            ValueError: there is no such partition, or there is one.
        """
        self._call(lambda node: node.broker.faults.partition(replicas, home, ticktime))

    def notice_partition(self) -> None:
        """Let the nodes notice a partition now: each side gives the other one up.

        Raises:
            ValueError: there is no partition.
        """
        self._call(lambda node: node.broker.faults.notice_partition())

    def pause_minority(self) -> None:
        """Let a minority pause now: if clients are there, their connections break.

        Raises:
            ValueError: there is no partition.
        """
        self._call(lambda node: node.broker.faults.pause_minority())

    def heal(self) -> None:
        """Mend the network; whoever paused starts again, with nothing.

        Raises:
            ValueError: there is no partition.
        """
        self._call(lambda node: node.broker.faults.heal())

    def restart_node(self) -> None:
        """Crash the node and start it again, on the same port and the same disk.

        Every connection breaks, and what was not synced is gone.

        Raises:
            DiskError: what is on the disk cannot be used; it is down until it is asked for again.
            OSError: somebody else listens on its port now; likewise.
        """
        self._wait_for(lambda node: node.restart())

    def nack_next(self, n: int | None = 1, **about: Any) -> None:
        """Nack the next publishes that are routed to a queue; the queues refuse them, as if full.

        Args:
            n: how many; None for all, until `clear_faults`.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.
        """
        self._call(lambda node: node.broker.faults.nack_next(n, **about))

    def crash_next(self, n: int | None = 1, **about: Any) -> None:
        """Crash the queues that the next publishes are routed to, as they have taken them in.

        Args:
            n: of how many publishes; None for all, until `clear_faults`.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.
        """
        self._call(lambda node: node.broker.faults.crash_next(n, **about))

    def delete_next(self, n: int | None = 1, **about: Any) -> None:
        """Delete the queues that the next publishes are routed to, as they have taken them in.

        Args:
            n: how many publishes have that effect; None for all, until `clear_faults`.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.
        """
        self._call(lambda node: node.broker.faults.delete_next(n, **about))

    def hold_fsync(self) -> None:
        """Let no commit return from now on: nothing persistent is confirmed."""
        self._call(lambda node: node.broker.faults.hold_fsync())

    def release_fsync(self) -> None:
        """Let commits return again."""
        self._call(lambda node: node.broker.faults.release_fsync())

    def fail_writes(self, n: int | None = 1, **about: Any) -> None:
        """Let the disk refuse the next commits; each is tried again a second later.

        Args:
            n: how many; None for all, until `clear_faults`.
            about: only those that have such a publish.
        """
        self._call(lambda node: node.broker.faults.fail_writes(n, **about))

    def withhold_confirms(self) -> None:
        """Tell no publisher anything, as while a partition guard holds."""
        self._call(lambda node: node.broker.faults.withhold_confirms())

    def delay_confirms(self, n: int | None = 1, seconds: float | None = None, **about: Any) -> None:
        """Tell the channels of the next publishes nothing, for so long or until released."""
        self._call(lambda node: node.broker.faults.delay_confirms(n, seconds, **about))

    def lose_acks(self, n: int | None = 1, skip: int = 0) -> None:
        """Lose the next acks of consumers: what they are about comes once more, redelivered."""
        self._call(lambda node: node.broker.faults.lose_acks(n, skip))

    def reorder_confirms(
        self, n: int = 2, order: Order = "reversed", seed: int = 0, **about: Any
    ) -> None:
        """Settle the next publishes of a channel in another order than they came.

        Args:
            n: how many; none of them is settled before the last one was published.
            order: `reversed`, `drawn`, or their numbers from 1 in the order of settling.
            seed: what is drawn by.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.
        """
        self._call(lambda node: node.broker.faults.reorder_confirms(n, order, seed, **about))

    def release_confirms(self) -> None:
        """Tell publishers again what is settled."""
        self._call(lambda node: node.broker.faults.release_confirms())

    def drop_connection(
        self,
        when: Literal["before_confirm", "after_confirm"] = "before_confirm",
        n: int | None = 1,
        **about: Any,
    ) -> None:
        """Break the connection of the next publishes, before or after they are confirmed."""
        self._call(lambda node: node.broker.faults.drop_connection(when, n, **about))

    def close_connection(
        self, code: int = 320, text: str = "CONNECTION_FORCED - a fault", connection: Which = None
    ) -> None:
        """Close connections with a code and a text: all, or those of a number or a name."""
        self._call(lambda node: node.broker.faults.close_connection(code, text, connection))

    def close_channel(
        self,
        code: int = 406,
        text: str = "PRECONDITION_FAILED - a fault",
        connection: Which = None,
        channel: int | None = None,
    ) -> None:
        """Close channels with a code and a text: all of a connection, or one by its number."""
        self._call(lambda node: node.broker.faults.close_channel(code, text, connection, channel))

    def cut_connection(self, connection: Which = None, reset: bool = False) -> None:
        """Break connections now, without a word: by an end of the socket, or by a reset."""
        self._call(lambda node: node.broker.faults.cut_connection(connection, reset))

    def cancel_consumer(self, queue: str, vhost: str = "/") -> None:
        """Cancel the consumers of a queue, which hear of it if they want to.

        Raises:
            LookupError: there is no such queue, or it has no consumers.
        """
        self._call(lambda node: node.broker.faults.cancel_consumer(queue, vhost))

    def refuse_login(self, n: int | None = 1, user: str | None = None, skip: int = 0) -> None:
        """Refuse the next logins, as if the password was wrong."""
        self._call(lambda node: node.broker.faults.refuse_login(n, user, skip))

    def silence(self, connection: Which = None) -> None:
        """Say nothing more, heartbeats included, until `end_silence`."""
        self._call(lambda node: node.broker.faults.silence(connection))

    def end_silence(self) -> None:
        """Say what was held back by `silence`."""
        self._call(lambda node: node.broker.faults.end_silence())

    def slow_output(self, size: int = 1, seconds: float = 0.0, connection: Which = None) -> None:
        """Send what is said in pieces of so many bytes, with time between them, from now on."""
        self._call(lambda node: node.broker.faults.slow_output(size, seconds, connection))

    def armed(self) -> list[dict[str, Any]]:
        """Return the faults that wait for something, or have waited: how often each struck."""
        return self._call(lambda node: node.broker.faults.armed())

    def unstruck(self) -> list[str]:
        """Return the faults that were asked for and have never struck, as they were asked for."""
        return self._call(lambda node: node.broker.faults.unstruck())

    def block(self, reason: str = "low on memory") -> None:
        """Read nothing more from connections that publish, and say so to those who asked."""
        self._call(lambda node: node.block(reason))

    def unblock(self) -> None:
        """Read again from connections that were blocked."""
        self._call(lambda node: node.unblock())

    def clear_faults(self) -> None:
        """Disarm what has not struck, and release what is held."""
        self._call(lambda node: node.clear_faults())
