"""When the journal is committed, and by which thread.

Under load a commit starts at most one sync interval after the first thing that waits for it; with
nothing to read from any socket it starts at once, as a queue syncs when its mailbox is empty
(B6.2, B6.3).  "Nothing to read" is found out without asking: two turns of the event loop without a
new byte.  The first turn may have been under way already when the last bytes came.

Commits are made by a thread, one at a time; meanwhile the broker goes on.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from ackproof.impl.broker import Broker
from ackproof.impl.journal import Batch

__all__ = ["SYNC_INTERVAL", "Committer", "Storage"]

_LOG = logging.getLogger(__name__)

#: Seconds that a message may wait for others to be committed with.
SYNC_INTERVAL = 0.025
#: Seconds after which a batch that the disk has refused is tried again.
_RETRY = 1.0
_IDLE_TURNS = 2


class Storage(Protocol):
    """What a committer commits to; `ackproof.impl.disk.Disk` is the one in use."""

    def commit(self, batch: Batch) -> None:
        """Return when the batch is durable; raise sqlite3.Error or OSError if it is not."""


class Committer:
    """Takes batches from the broker's journal to the disk.

    Args:
        after: called when a commit has returned and the broker knows of it.
        interval: seconds between commits under load.
    """

    def __init__(
        self,
        broker: Broker,
        storage: Storage,
        after: Callable[[], None],
        interval: float = SYNC_INTERVAL,
    ) -> None:
        self._broker = broker
        self._storage = storage
        self._after = after
        self._interval = interval
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ackproof-disk")
        self._timer: asyncio.TimerHandle | None = None
        self._activity = 0
        self._watching_for_idle = False
        self._stopped = False

    def poke(self) -> None:
        """Something has happened: if it left work for the disk, a commit will follow."""
        self._activity += 1
        if self._stopped or not self._broker.journal.pending:
            return
        loop = asyncio.get_running_loop()
        if self._timer is None:
            self._timer = loop.call_later(self._interval, self._start)
        if not self._watching_for_idle:
            self._watching_for_idle = True
            loop.call_soon(self._watch, self._activity, _IDLE_TURNS)

    def _watch(self, activity: int, turns: int) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is None:
            self._watching_for_idle = False
        elif activity != self._activity:
            loop.call_soon(self._watch, self._activity, _IDLE_TURNS)
        elif turns:
            loop.call_soon(self._watch, activity, turns - 1)
        else:
            self._watching_for_idle = False
            self._start()

    def _start(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._stopped or not self._broker.journal.pending:
            return
        batch = self._broker.journal.take()
        loop = asyncio.get_running_loop()
        done = loop.run_in_executor(self._thread, self._storage.commit, batch)
        done.add_done_callback(lambda result: self._finish(batch, result))

    def _finish(self, batch: Batch, result: asyncio.Future[None]) -> None:
        try:
            result.result()
        except (sqlite3.Error, OSError) as error:
            _LOG.error("commit failed, trying again in %g s: %s", _RETRY, error)
            self._broker.journal.failed(batch)
            if not self._stopped:
                self._timer = asyncio.get_running_loop().call_later(_RETRY, self._start)
            return
        self._broker.committed(batch)
        self._after()

    async def stop(self) -> None:
        """Wait for the commit that is under way, make one more of what is left, and stop."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, lambda: None)
        await asyncio.sleep(0)
        if self._broker.journal.pending:
            batch = self._broker.journal.take()
            try:
                await loop.run_in_executor(self._thread, self._storage.commit, batch)
            except (sqlite3.Error, OSError) as error:
                _LOG.error("the last commit failed: %s", error)
        self._thread.shutdown()
