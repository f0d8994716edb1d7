"""A broker in a thread of this process: for tests, benches, and anyone who wants to hold one.

    with RunningBroker(tmp_path) as broker:
        connect_to("localhost", broker.port)
        broker.crash_queue("orders")

Everything that touches the broker runs in its thread; the methods here hand the request over and
wait for the answer.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from ackproof.impl.broker import Broker
from ackproof.impl.committer import SYNC_INTERVAL, Storage
from ackproof.impl.disk import Disk
from ackproof.impl.server import Server

__all__ = ["RunningBroker"]

T = TypeVar("T")


class RunningBroker:
    """A broker, served on a port of this machine, for the length of a `with` block.

    Args:
        directory: where its data lies; what is found there is recovered.
        port: 0 to let the system choose.
        interval: seconds between commits under load.
        wrap: put around the disk, to make it slow or fail.

    Raises:
        DiskError: on entry, the directory cannot be used.
        OSError: on entry, the port cannot be listened on.
    """

    def __init__(
        self,
        directory: Path,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        interval: float = SYNC_INTERVAL,
        wrap: Callable[[Storage], Storage] = lambda disk: disk,
    ) -> None:
        self.host = host
        self.port = port
        self._directory = directory
        self._interval = interval
        self._wrap = wrap
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
            disk = Disk(self._directory)
        except BaseException as error:
            started.set_exception(error)
            return
        try:
            self._broker = Broker(stored=disk.recover())
            self._server = Server(self._broker, self._wrap(disk), interval=self._interval)
            self.port = await self._server.start(self.host, self.port)
            started.set_result(None)
            await self._stopping.wait()
            await self._server.stop()
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)
        finally:
            disk.close()

    def ask(self, question: Callable[[Broker], T]) -> T:
        """Call a function with the broker, in the broker's thread; return what it returns."""
        answer: Future[Any] = Future()

        def run() -> None:
            try:
                answer.set_result(question(self._broker))
                self._server.pump()
            except Exception as error:
                answer.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        result: T = answer.result()
        return result

    def crash_queue(self, name: str) -> None:
        """Crash the process of a queue; what it had not confirmed is nacked.

        Raises:
            LookupError: there is no queue of this name.
        """
        self.ask(lambda broker: broker.crash_queue(name))

    def depth(self, name: str) -> int:
        """Return how many messages are ready in a queue.

        Raises:
            KeyError: there is no queue of this name.
        """
        return self.ask(lambda broker: len(broker.queues[name].machine.ready))
