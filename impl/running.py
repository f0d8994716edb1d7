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
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

from ackproof.impl.broker import Broker
from ackproof.impl.control.threadsafe_faults import ThreadsafeFaults
from ackproof.impl.history.history import Entry
from ackproof.impl.node import Node
from ackproof.impl.options import Options, given
from ackproof.impl.scenario.scenario import Scenario
from ackproof.impl.staging.scenario_run import ScenarioRun

__all__ = ["RunningBroker"]

T = TypeVar("T")


class RunningBroker(ThreadsafeFaults):
    """A broker, served on a port of this machine, for the length of a `with` block.

    Its arguments are those of `ackproof.impl.options.Options`: all by name but the first, which is
    the directory for its data.

    Attributes:
        host: the address that is listened on.
        port: the port that is; until it runs, the one that was asked for.
        seed: what draws the order of steps, or None.

    Raises:
        DiskError: on entry, the directory cannot be used.
        OSError: on entry, the port cannot be listened on.
    """

    @given(Options)
    def __init__(self, options: Options) -> None:
        self.host = options.host
        self.port = options.port
        self.seed = options.seed
        self._options = options
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
            self._node = Node(self._options)
        except BaseException as error:
            started.set_exception(error)
            return
        try:
            self.port = await self._node.start()
            self.seed = self._node.options.seed
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
        async def run(node: Node) -> T:
            answer = question(node)
            node.pump()
            return answer

        return self._wait_for(run)

    def _wait_for(self, work: Callable[[Node], Coroutine[Any, Any, T]]) -> T:
        if self._thread is None or not self._thread.is_alive():
            raise RuntimeError("the broker does not run; ask it inside of its `with` block")
        return asyncio.run_coroutine_threadsafe(work(self._node), self._loop).result()

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
        self._wait_for(lambda node: node.fault("schedule", {"seed": seed}))

    # -- a whole run ----------------------------------------------------------------------------

    def scenario(self) -> Scenario:
        """Return which faults were asked for so far, and at which moments; to be played again.

        Raises:
            ValueError: the broker was told not to record.
        """
        return self._call(lambda node: _recorded(node).scenario)

    def play(self, scenario: Scenario) -> None:
        """Play a scenario, before anybody has connected.

        Raises:
            ScenarioError: somebody has, since the start or the last reset; or it is for a broker
                with other options.
            ValueError: the broker was told not to record.
        """
        self._call(lambda node: _recorded(node).play(scenario, node.pump))

    def reset(self) -> dict[str, list[str]]:
        """Begin again with nothing, as at the start, on the same port; connections break.

        Returns:
            what there was to complain of, under `complaints`, and under `unstruck` the faults that
            never struck.

        Raises:
            DiskError: the disk cannot be erased.
        """
        return self._wait_for(lambda node: node.reset())


def _recorded(node: Node) -> ScenarioRun:
    if node.scenarios is None:
        raise ValueError("this broker does not record; start it without recording=False")
    return node.scenarios
