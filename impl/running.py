"""A broker in a thread of this process: for tests, benches, and anyone who wants to hold one.

    with RunningBroker() as broker:
        connect_to("localhost", broker.port)
        broker.nack_next(routing_key="orders")
        ...
        broker.check()

Everything that touches the broker runs in its thread; the methods here hand the request over and
wait for the answer.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

from ackproof.impl.broker import Broker
from ackproof.impl.limits import Limits
from ackproof.impl.node import Node
from ackproof.impl.oracle.history import Entry, History
from ackproof.impl.storage.committer import SYNC_INTERVAL, Storage
from ackproof.impl.users import Users

__all__ = ["RunningBroker"]

T = TypeVar("T")


class RunningBroker:
    """A broker, served on a port of this machine, for the length of a `with` block.

    Args:
        directory: where its data lies; what is found there is recovered.  None to keep it in
            memory, which takes the same steps and no time for the disk.
        host: address to listen on.
        port: 0 to let the system choose.
        seed: any order of steps that the specification allows, drawn by this; None for the order
            that a user expects.
        interval: seconds between commits under load, if there is no seed.
        remember: how many entries the history keeps, the latest; None for all.
        lockstep: take each step by the specification's own system as well, and compare, which
            is slow; what is found, `check` raises.
        tls: speak TLS with it, and nothing else.
        users: who may come in; by default guest, with password guest.
        limits: how much clients may take.
        immediate: publishers may ask for `immediate`, as before RabbitMQ 3.0.
        wrap: put around the disk, to make it slow or fail.
        replicas: how many processes each durable queue has, a master and mirrors.

    Raises:
        DiskError: on entry, the directory cannot be used.
        OSError: on entry, the port cannot be listened on.
    """

    def __init__(
        self,
        directory: Path | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        seed: int | None = None,
        interval: float = SYNC_INTERVAL,
        remember: int | None = 100_000,
        lockstep: bool = False,
        tls: ssl.SSLContext | None = None,
        users: Users | None = None,
        limits: Limits | None = None,
        immediate: bool = False,
        wrap: Callable[[Storage], Storage] = lambda disk: disk,
        replicas: int = 1,
    ) -> None:
        self.host = host
        self.port = port
        self.seed = seed
        self._history = History(recording=True, limit=remember)
        self._directory = directory
        self._interval = interval
        self._lockstep = lockstep
        self._tls = tls
        self._users = users
        self._limits = limits
        self._immediate = immediate
        self._wrap = wrap
        self._replicas = replicas
        self._thread: threading.Thread | None = None

    def __enter__(self) -> RunningBroker:
        started: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(started)), name="ackproof-broker"
        )
        self._thread.start()
        started.result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._thread is not None
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    async def _serve(self, started: Future[None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        try:
            self._node = Node(
                self._directory,
                host=self.host,
                port=self.port,
                seed=self.seed,
                interval=self._interval,
                history=self._history,
                lockstep=self._lockstep,
                tls=self._tls,
                users=self._users,
                limits=self._limits,
                immediate=self._immediate,
                wrap=self._wrap,
                replicas=self._replicas,
            )
        except BaseException as error:
            started.set_exception(error)
            return
        try:
            self.port = await self._node.start()
            started.set_result(None)
            await self._stopping.wait()
            await self._node.stop()
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)
        finally:
            self._node.close()

    # -- asking ---------------------------------------------------------------------------------

    def ask(self, question: Callable[[Broker], T]) -> T:
        """Call a function with the broker, in the broker's thread; return what it returns."""
        return self._call(lambda node: question(node.broker))

    def _call(self, question: Callable[[Node], T]) -> T:
        async def run() -> T:
            answer = question(self._node)
            self._node.pump()
            return answer

        return self._await(run())

    def _await(self, work: Coroutine[Any, Any, T]) -> T:
        if self._thread is None or not self._thread.is_alive():
            work.close()
            raise RuntimeError("the broker does not run; ask it inside of its `with` block")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    @property
    def history(self) -> list[Entry]:
        """Return what has happened so far, as far as it is kept."""
        return self.ask(lambda broker: list(broker.history))

    def check(self) -> None:
        """Look whether all that has happened is what the specification promises.

        Raises:
            AssertionError: it is not; the text tells what, and how it came to it.
        """
        complaints = self._call(lambda node: node.complaints())
        if complaints:
            raise AssertionError("\n\n".join(complaints))

    def queues(self) -> list[dict[str, Any]]:
        """Return what there is to know of each queue."""
        return self._call(lambda node: node.queues())

    def depth(self, name: str) -> int:
        """Return how many messages are ready in a queue.

        Raises:
            KeyError: there is no queue of this name.
        """

        def ready(broker: Broker) -> int:
            if name not in broker.queues:
                known = ", ".join(sorted(broker.queues)) or "none"
                raise KeyError(f"there is no queue {name!r}; there are: {known}")
            return len(broker.queues[name].machine.ready)

        return self.ask(ready)

    # -- order ----------------------------------------------------------------------------------

    def schedule(self, seed: int | None) -> None:
        """Take steps in any order from now on, drawn by this seed; None for the usual order.

        With a seed, what is settled first is told first, and that need not be the order in which
        it was published, nor need what is settled together be told together.
        """
        self._call(lambda node: node.schedule(seed))

    # -- faults, see `ackproof.impl.oracle.faults` ----------------------------------------------

    def crash_queue(self, name: str, vhost: str = "/") -> None:
        """Crash the process of a queue; what it had not confirmed is nacked.

        Raises:
            LookupError: there is no queue of this name.
        """
        self.ask(lambda broker: broker.faults.crash_queue(name, vhost))

    def delete_queue(self, name: str, vhost: str = "/") -> None:
        """Delete a queue with all its messages; what it had not confirmed is acked.

        Raises:
            LookupError: there is no queue of this name.
        """
        self.ask(lambda broker: broker.faults.delete_queue(name, vhost))

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
        self.ask(lambda broker: broker.faults.kill_replica(name, replica, vhost))

    def restart_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Start a process that was killed, as a mirror with nothing, which is synchronised.

        Raises:
            LookupError: there is no queue of this name, or it never had such a process.
            ValueError: the queue has no mirrors, or this one runs.
        """
        self.ask(lambda broker: broker.faults.restart_replica(name, replica, vhost))

    def slow_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Let a mirror do nothing until it is released.

        Raises:
            LookupError: there is no queue of this name, or no such process runs.
            ValueError: the queue has no mirrors, or this process is its master.
        """
        self.ask(lambda broker: broker.faults.slow_replica(name, replica, vhost))

    def release_replica(self, name: str, replica: int, vhost: str = "/") -> None:
        """Let a mirror work again.

        Raises:
            LookupError: there is no queue of this name, or no such process runs.
            ValueError: the queue has no mirrors.
        """
        self.ask(lambda broker: broker.faults.release_replica(name, replica, vhost))

    def restart_node(self) -> None:
        """Crash the node and start it again, on the same port and the same disk.

        Every connection breaks, and what was not synced is gone.
        """

        async def restart() -> None:
            await self._node.restart()

        self._await(restart())

    def nack_next(self, n: int | None = 1, **about: Any) -> None:
        """Nack the next publishes that are routed to a queue; the queues refuse them, as if full.

        Args:
            n: how many; None for all, until `clear_faults`.
            about: which, see `ackproof.impl.oracle.trigger.Trigger`.
        """
        self.ask(lambda broker: broker.faults.nack_next(n, **about))

    def crash_next(self, n: int | None = 1, **about: Any) -> None:
        """Crash the queues that the next publishes are routed to, as they have taken them in.

        Args:
            n: of how many publishes; None for all, until `clear_faults`.
            about: which, see `ackproof.impl.oracle.trigger.Trigger`.
        """
        self.ask(lambda broker: broker.faults.crash_next(n, **about))

    def hold_fsync(self) -> None:
        """Let no commit return from now on: nothing persistent is confirmed."""
        self.ask(lambda broker: broker.faults.hold_fsync())

    def release_fsync(self) -> None:
        """Let commits return again."""
        self.ask(lambda broker: broker.faults.release_fsync())

    def fail_writes(self, n: int = 1) -> None:
        """Let the disk refuse the next commits; each is tried again a second later."""
        self.ask(lambda broker: broker.faults.fail_writes(n))

    def withhold_confirms(self) -> None:
        """Tell no publisher anything, as while a partition guard holds."""
        self.ask(lambda broker: broker.faults.withhold_confirms())

    def delay_confirms(self, n: int | None = 1, **about: Any) -> None:
        """Tell the channels of the next publishes nothing, until `release_confirms`."""
        self.ask(lambda broker: broker.faults.delay_confirms(n, **about))

    def release_confirms(self) -> None:
        """Tell publishers again what is settled."""
        self.ask(lambda broker: broker.faults.release_confirms())

    def drop_connection(
        self,
        when: Literal["before_confirm", "after_confirm"] = "before_confirm",
        n: int | None = 1,
        **about: Any,
    ) -> None:
        """Break the connection of the next publishes, before or after they are confirmed."""
        self.ask(lambda broker: broker.faults.drop_connection(when, n, **about))

    def block(self, reason: str = "low on memory") -> None:
        """Read nothing more from connections that publish, and say so to those who asked."""
        self._call(lambda node: node.block(reason))

    def unblock(self) -> None:
        """Read again from connections that were blocked."""
        self._call(lambda node: node.unblock())

    def clear_faults(self) -> None:
        """Disarm what has not struck, and release what is held."""
        self._call(lambda node: node.clear_faults())
