"""When the journal is committed, and by which thread.

Under load a commit starts at most one sync interval after the first thing that waits for it; with
nothing to read from any socket it starts at once, as a queue syncs when its mailbox is empty
(B6.2, B6.3).  "Nothing to read" is found out without asking: two turns of the event loop without a
new byte.  The first turn may have been under way already when the last bytes came.  And it does not
wait for the interval when so many messages have come together that more would not make it cheaper:
then the disk works while the broker does.

Commits are made by a thread, one at a time; meanwhile the broker goes on.

All that is different where the scheduler has the say in commits.  Then there is no thread and no
interval: a commit is two steps like any other, and the broker waits for the disk.  What has to
outlast that is only what to do when the disk refuses, since that takes time in either case.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from ackproof.impl.broker import Broker
from ackproof.impl.storage.journal import Batch

__all__ = ["SYNC_INTERVAL", "Commits", "Committer", "SteppedCommitter", "Storage", "committer"]

_LOG = logging.getLogger(__name__)

#: Seconds that a message may wait for others to be committed with.
SYNC_INTERVAL = 0.025
#: Seconds after which a batch that the disk has refused is tried again.
_RETRY = 1.0
_IDLE_TURNS = 2
#: Messages for which a commit begins at once.
_ENOUGH = 200


class Storage(Protocol):
    """What a committer commits to; `ackproof.impl.storage.disk.Disk` is the one in use."""

    def commit(self, batch: Batch) -> None:
        """Return when the batch is durable; raise sqlite3.Error or OSError if it is not."""


class Commits(Protocol):
    """Takes batches from the broker's journal to the disk, in one of two ways."""

    def poke(self) -> None:
        """Something has happened: if it left work for the disk, a commit will follow."""

    async def stop(self, *, at_once: bool = False) -> None:
        """Commit what is left, and stop.

        Args:
            at_once: do not; what is not on the disk by now is lost.
        """


def committer(
    broker: Broker, storage: Storage, after: Callable[[], None], interval: float
) -> Commits:
    """Return what commits the broker's journal: by steps if its scheduler says so, or by time."""
    if broker.steps.scheduler.commits:
        return SteppedCommitter(broker, storage, after)
    return Committer(broker, storage, after, interval)


def _attempt(storage: Storage, batch: Batch, fails: bool) -> None:
    """Commit a batch, or fail because that was asked for.

    Raises:
        sqlite3.Error: the disk has refused, or was asked to.
        OSError: it has.
    """
    if fails:
        raise sqlite3.OperationalError("disk I/O error (a fault that was asked for)")
    storage.commit(batch)


def _refused(error: Exception) -> None:
    """Log that a commit has failed, with the place if it was not the disk that refused.

    What it was makes no difference to the batch: it is not on the disk, and is tried again.
    """
    known = isinstance(error, sqlite3.Error | OSError)
    _LOG.error("commit failed, trying again in %g s: %s", _RETRY, error, exc_info=not known)


class Committer:
    """Commits by time, in a thread.

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
        self._retrying = False
        self._stopped = False

    def poke(self) -> None:
        """Something has happened: if it left work for the disk, a commit will follow."""
        self._activity += 1
        if self._stopped or self._retrying or not self._broker.journal.pending:
            return
        if self._broker.journal.gathered >= _ENOUGH:
            self._start()
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
        self._retrying = False
        if self._stopped or not self._broker.journal.pending:
            return
        batch = self._broker.journal.take()
        loop = asyncio.get_running_loop()
        fails = self._broker.faults.write_fails()
        done = loop.run_in_executor(self._thread, _attempt, self._storage, batch, fails)
        done.add_done_callback(lambda result: self._finish(batch, result))

    def _finish(self, batch: Batch, result: asyncio.Future[None]) -> None:
        try:
            result.result()
        except Exception as error:
            _refused(error)
            self._broker.journal.failed(batch)
            if not self._stopped:
                self._retrying = True
                self._timer = asyncio.get_running_loop().call_later(_RETRY, self._start)
            return
        self._broker.committed(batch)
        self._after()

    async def stop(self, *, at_once: bool = False) -> None:
        """Wait for the commit that is under way, commit what is left, and stop."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, lambda: None)
        await asyncio.sleep(0)
        try:
            while self._broker.journal.pending and not at_once:
                batch = self._broker.journal.take()
                await loop.run_in_executor(self._thread, self._storage.commit, batch)
                self._broker.committed(batch)
        except Exception as error:
            _LOG.error("the last commit failed, and what it had is lost: %s", error)
        self._thread.shutdown()


class SteppedCommitter:
    """Commits when the broker's scheduler says so.

    Args:
        after: called when a disk that has refused is to be tried again.
    """

    def __init__(self, broker: Broker, storage: Storage, after: Callable[[], None]) -> None:
        self._broker = broker
        self._storage = storage
        self._after = after
        self._timer: asyncio.TimerHandle | None = None
        broker.steps.store = self._store

    def poke(self) -> None:
        """What is left for the disk is among the broker's next steps."""

    def _store(self, batch: Batch) -> bool:
        try:
            _attempt(self._storage, batch, self._broker.faults.write_fails())
        except Exception as error:
            _refused(error)
            self._broker.journal.failed(batch)
            self._broker.steps.store = None
            self._timer = asyncio.get_running_loop().call_later(_RETRY, self._resume)
            return False
        return True

    def _resume(self) -> None:
        self._broker.steps.store = self._store
        self._after()

    async def stop(self, *, at_once: bool = False) -> None:
        """Finish the commit that has begun, commit what is left, and stop."""
        if self._timer is not None:
            self._timer.cancel()
        steps = self._broker.steps
        steps.store = None
        begun, steps.batch = steps.batch, None
        if at_once:
            return
        try:
            if begun is not None:
                self._storage.commit(begun)
                self._broker.committed(begun)
            while self._broker.journal.pending:
                batch = self._broker.journal.take()
                self._storage.commit(batch)
                self._broker.committed(batch)
        except Exception as error:
            _LOG.error("the last commit failed, and what it had is lost: %s", error)
