"""Commits where the scheduler has the say in them.

There is no thread and no interval then: a commit is two steps like any other, and the broker waits
for the disk.  What has to outlast that is only what to do when the disk refuses, since that takes
time in either case.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ackproof.impl.broker import Broker
from ackproof.impl.storage import batch_commit
from ackproof.impl.storage.batch_commit import Storage, attempt, refused, unheard
from ackproof.impl.storage.journal import Batch

__all__ = ["SteppedCommitter"]

_LOG = logging.getLogger(__name__)


class SteppedCommitter:
    """Commits when the broker's scheduler says so.

    Args:
        after: called when a disk that has refused is to be tried again.
        alarm: called with True when the disk has refused, and with False when it has recovered.
    """

    def __init__(
        self,
        broker: Broker,
        storage: Storage,
        after: Callable[[], None],
        alarm: Callable[[bool], None] = unheard,
    ) -> None:
        self._alarm = alarm
        self._failing = False
        self._stopped = False
        self._broker = broker
        self._storage = storage
        self._after = after
        self._timer: asyncio.TimerHandle | None = None
        broker.steps.disk.store = self._store

    def poke(self) -> None:
        """What is left for the disk is among the broker's next steps."""

    def _store(self, batch: Batch) -> bool:
        try:
            attempt(self._storage, batch, self._broker.faults.write_fails(batch))
        except Exception as error:
            refused(error)
            self._broker.journal.failed(batch)
            self._broker.steps.disk.store = None
            self._failing = True
            self._alarm(True)
            self._timer = asyncio.get_running_loop().call_later(batch_commit.RETRY, self._resume)
            return False
        if batch.unstorable:  # a connection is closed, which may be no part of this step
            asyncio.get_running_loop().call_soon(self._refuse_unstorable, batch)
        if self._failing and not self._broker.journal.refused:
            self._failing = False
            # Who was blocked is read from again, which may be no part of this step.
            asyncio.get_running_loop().call_soon(self._recovered)
        return True

    def _refuse_unstorable(self, batch: Batch) -> None:
        self._broker.refuse_unstorable(batch)
        self._after()

    def _recovered(self) -> None:
        self._alarm(False)
        self._after()

    def _resume(self) -> None:
        self._broker.steps.disk.store = self._store
        self._after()

    async def stop(self, *, at_once: bool = False) -> None:
        """Finish the commit that has begun, commit what is left, and stop."""
        if self._stopped:
            return
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        steps = self._broker.steps
        steps.disk.store = None
        begun, steps.disk.batch = steps.disk.batch, None
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
