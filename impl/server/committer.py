"""When the journal is committed, and by which thread.

Under load a commit starts at most one sync interval after the first thing that waits for it; with
nothing to read from any socket it starts at once, as a queue syncs when its mailbox is empty
(B6.2, B6.3).  "Nothing to read" is found out without asking: a turn of the event loop without a new
byte, after the one in which the last bytes came.  And it does not wait for the interval when so
many messages have come together that more would not make it cheaper: then the disk works while the
broker does.

Commits are made by a thread, one at a time; meanwhile the broker goes on.  To wake a thread and to
be woken by it takes about as long as a quick disk takes for a few messages, and a publisher that
waits for each confirm before its next message waits for both each time.  So where there is nothing
to read, a small commit is made by the event loop itself, as long as the last one was quick.

Where the scheduler decides when to commit, `ackproof.impl.server.stepped_committer` is used.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial

from ackproof.impl.broker import Broker
from ackproof.impl.options import SYNC_INTERVAL
from ackproof.impl.server.stepped_committer import SteppedCommitter
from ackproof.impl.storage import batch_commit
from ackproof.impl.storage.batch_commit import Commits, Storage, attempt, refused, unheard
from ackproof.impl.storage.disk_thread import DiskThread, raised_by
from ackproof.impl.storage.journal import Batch

__all__ = ["QUICK", "Committer", "committer"]

_LOG = logging.getLogger(__name__)

#: Messages for which a commit begins at once.
_ENOUGH = 200
#: Seconds within which a commit is quick.
QUICK = 0.001


def committer(
    broker: Broker,
    storage: Storage,
    after: Callable[[], None],
    interval: float,
    alarm: Callable[[bool], None] = unheard,
) -> Commits:
    """Return what commits the broker's journal: by steps if its scheduler says so, or by time.

    Args:
        broker: whose journal it is.
        storage: where it is committed.
        after: called when a commit has returned, or was refused.
        interval: seconds between commits under load.
        alarm: called with True when the disk has refused, and with False when it has recovered.
    """
    if broker.steps.context.scheduler.commits:
        return SteppedCommitter(broker, storage, after, alarm)
    return Committer(broker, storage, after, interval, alarm)


class Committer:
    """Commits by time, in a thread.

    Args:
        after: called when a commit has returned and the broker knows of it.
        interval: seconds between commits under load.
        alarm: called with True when the disk has refused, and with False when it has recovered.
    """

    def __init__(
        self,
        broker: Broker,
        storage: Storage,
        after: Callable[[], None],
        interval: float = SYNC_INTERVAL,
        alarm: Callable[[bool], None] = unheard,
    ) -> None:
        self._alarm = alarm
        self._broker = broker
        self._storage = storage
        self._after = after
        self._interval = interval
        self._thread = DiskThread()
        self._was_quick = False
        self._activity = 0
        self._latest = 0.0
        self._next: asyncio.Handle | None = None
        self._retrying = False
        self._failing = False
        self._stopped = False

    def poke(self) -> None:
        """Something has happened: if it left work for the disk, a commit will follow."""
        self._activity += 1
        if self._stopped or self._retrying or not self._broker.journal.pending:
            return
        if self._broker.journal.gathered >= _ENOUGH:
            self._start()
        elif self._next is None:
            loop = asyncio.get_running_loop()
            self._latest = loop.time() + self._interval
            self._next = loop.call_soon(self._watch, None)

    def _watch(self, activity: int | None) -> None:
        """A turn of the loop begins; the one before began after so much activity, or before any."""
        loop = asyncio.get_running_loop()
        if activity == self._activity or loop.time() >= self._latest:
            self._start(here=True)
        else:
            self._next = loop.call_soon(self._watch, self._activity)

    def _start(self, *, here: bool = False) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._retrying = False
        if self._stopped or not self._broker.journal.pending:
            return
        batch = self._broker.journal.take()
        fails = self._broker.faults.write_fails(batch)
        commit = partial(self._commit, batch, fails)
        if here and self._was_quick and batch.is_small:
            self._finish(batch, raised_by(commit))
        else:
            self._thread.do(commit, partial(self._finish, batch))

    def _commit(self, batch: Batch, fails: bool) -> None:
        began = time.monotonic()
        attempt(self._storage, batch, fails)
        self._was_quick = time.monotonic() - began < QUICK

    def _finish(self, batch: Batch, error: Exception | None) -> None:
        if error is not None:
            refused(error)
            self._broker.journal.failed(batch)
            if not self._stopped:
                self._retrying = self._failing = True
                self._alarm(True)
                self._after()
                self._next = asyncio.get_running_loop().call_later(batch_commit.RETRY, self._start)
            return
        try:
            self._broker.refuse_unstorable(batch)
            self._broker.committed(batch)
        except Exception:
            _LOG.exception("internal error after a commit; the broker goes on")
        if self._failing and not self._broker.journal.refused:
            self._failing = False
            self._alarm(False)
        self._after()

    async def stop(self, *, at_once: bool = False) -> None:
        """Wait for the commit that is under way, commit what is left, and stop."""
        if self._stopped:
            return
        self._stopped = True
        if self._next is not None:
            self._next.cancel()
            self._next = None
        await self._thread.wait()
        try:
            while self._broker.journal.pending and not at_once:
                batch = self._broker.journal.take()
                await self._thread.wait(partial(self._storage.commit, batch))
                self._broker.committed(batch)
        except Exception as error:
            _LOG.error("the last commit failed, and what it had is lost: %s", error)
        self._thread.stop()
