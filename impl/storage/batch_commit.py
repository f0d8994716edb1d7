"""What a commit is: a batch of the journal goes to the disk, which may refuse it.

When the disk refuses, what it was given is not synced, so nobody hears that it is.  An alarm keeps
publishers from making it more (E4.4), and until the disk takes the batch it is given it again.

Who commits, and when, is in `ackproof.impl.server.committer`.
"""

from __future__ import annotations

import logging
import sqlite3
from typing import Protocol

from ackproof.impl.storage.journal import Batch

__all__ = ["RETRY", "Commits", "Storage", "attempt", "refused", "unheard"]

_LOG = logging.getLogger(__name__)

#: Seconds after which a batch that the disk has refused is tried again.
RETRY = 1.0


class Storage(Protocol):
    """What a committer commits to; `ackproof.impl.storage.disk.Disk` is the one in use."""

    def commit(self, batch: Batch) -> None:
        """Return when the batch is durable; raise sqlite3.Error or OSError if it is not."""


class Commits(Protocol):
    """Takes batches from the broker's journal to the disk, in one of two ways."""

    def poke(self) -> None:
        """Something has happened: if it left work for the disk, a commit will follow."""

    async def stop(self, *, at_once: bool = False) -> None:
        """Commit what is left, and stop; the second time, do nothing.

        Args:
            at_once: do not; what is not on the disk by now is lost.
        """


def unheard(_: bool) -> None:
    """Nobody wants to know whether the disk refuses."""


def attempt(storage: Storage, batch: Batch, fails: bool) -> None:
    """Commit a batch, or fail because that was asked for.

    Raises:
        sqlite3.Error: the disk has refused, or was asked to.
        OSError: it has.
    """
    if fails:
        raise sqlite3.OperationalError("disk I/O error (a fault that was asked for)")
    storage.commit(batch)


def refused(error: Exception) -> None:
    """Log that a commit has failed, with the place if it was not the disk that refused.

    What it was makes no difference to the batch: it is not on the disk, and is tried again.
    """
    known = isinstance(error, sqlite3.Error | OSError)
    _LOG.error("commit failed, trying again in %g s: %s", RETRY, error, exc_info=not known)
