"""The disk: SQLite, as the store of everything that must outlive the broker.

One database for the node, in write-ahead mode, with `synchronous=FULL`: a commit returns when the
log has been synced.  So a commit that has returned is the spec's `sync` for every message in it,
and what `kill -9` or a power failure leaves behind is what was committed, no more and no less than
whole transactions.

A message is one row, and one entry for each queue that it stands in
(`ackproof.impl.storage.schema`); the last entry to go takes the row with it.  The database is
opened for this process alone, so that two brokers cannot serve the same directory.  Beside it lies
some room for a disk that is full (`ackproof.impl.storage.reserve`).

Used by one thread at a time, and not always the same one: commits are made by a thread of their
own.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ackproof.impl.machines.publication import content_of, name_of
from ackproof.impl.machines.queue_processes import HostedQueue, Placed
from ackproof.impl.storage.batch_statements import write
from ackproof.impl.storage.journal import Batch
from ackproof.impl.storage.recovery import bindings, entries, exchanges, queues, records
from ackproof.impl.storage.reserve import Reserve
from ackproof.impl.storage.schema import RECORDS, SCHEMA, TABLES, VERSION
from ackproof.impl.storage.stored import Stored

__all__ = ["Disk", "DiskError"]

_LOG = logging.getLogger(__name__)

#: What is raised for what a batch says, and will be again; a disk that refuses says another thing.
_NEVER = (
    sqlite3.DataError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    OverflowError,
    ValueError,
    TypeError,
)

_OTHERS = "FROM entry WHERE queue NOT IN (SELECT value FROM json_each(?))"


class DiskError(Exception):
    """The data directory cannot be used; the text says why."""


class Disk:
    """The database of a node.

    Args:
        directory: where it lies, created if it is not there; None to keep everything in memory,
            which costs no fsync and is gone with this object.

    Raises:
        DiskError: it cannot be opened, or is in use, or was written by something else.
    """

    def __init__(self, directory: Path | None) -> None:
        self.path = Path(":memory:") if directory is None else directory / "node.sqlite"
        try:
            was_there = self.path.exists()
            if directory is not None:
                # What is in it may be read by who runs the broker, and by nobody else.
                directory.mkdir(0o700, parents=True, exist_ok=True)
                self.path.touch(0o600)
            self._db = sqlite3.connect(
                self.path, timeout=1.0, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            # To overwrite what is removed takes as much room as it had, and time.
            self._db.execute("PRAGMA secure_delete = OFF")
            self._prepare(was_there=was_there)
            self._reserve = Reserve(None if directory is None else directory / "node.reserve")
            self._reserve.keep()
        except (OSError, sqlite3.Error) as error:
            raise DiskError(_explain(self.path, error)) from None

    def _prepare(self, *, was_there: bool) -> None:
        """Make the tables, if there are none yet."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version == 0:
            if self._db.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone() == (1,):
                raise DiskError(
                    f"{self.path} is a database of something else; "
                    "start it with another data directory"
                )
            if was_there:
                _LOG.warning(
                    "%s is empty, and the broker begins with nothing; if it had anything to keep, "
                    "stop it, and put a copy of that file there",
                    self.path,
                )
            self._db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version == VERSION - 1:
            self._db.executescript(f"BEGIN; {RECORDS} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version != VERSION:
            raise DiskError(
                f"{self.path} has format {version} and this broker writes format {VERSION}; "
                "start it with another data directory"
            )

    def recover(self) -> Stored:
        """Return everything that is here, with each queue its messages in their order.

        Raises:
            DiskError: it cannot be read any more.
        """
        try:
            db = self._db
            known = records(db)
            return Stored(queues(db), exchanges(db), bindings(db), known, bool(known))
        except (sqlite3.Error, ValueError, LookupError, TypeError) as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> DiskError:
        return DiskError(
            f"{self.path} is damaged: {error}; start with another data directory, "
            "or with a copy of this one from before"
        )

    def entries(self) -> dict[int, list[Placed]]:
        """Return what stands in each queue by its number, in its order.

        Raises:
            DiskError: it cannot be read any more.
        """
        try:
            return entries(self._db)
        except (sqlite3.Error, ValueError, LookupError, TypeError) as error:
            raise self._damaged(error) from None

    def erase_all_but(self, numbers: Collection[int]) -> None:
        """Remove what stands in any queue but those of these numbers.

        Raises:
            DiskError: it cannot be written; nothing is removed then.
        """
        kept = json.dumps(list(numbers))
        try:
            # Removing takes room, too, and a full disk is no reason not to start with what it has.
            if self._db.execute(f"SELECT EXISTS (SELECT 1 {_OTHERS})", (kept,)).fetchone() == (0,):
                return
            with self._transaction():
                self._db.execute(f"DELETE {_OTHERS}", (kept,))
                self._db.execute("DELETE FROM message WHERE id NOT IN (SELECT message FROM entry)")
        except sqlite3.Error as error:
            raise DiskError(_explain(self.path, error)) from None

    def erase(self) -> None:
        """Remove everything; when this returns, it does not come back.

        Raises:
            DiskError: it cannot be written; nothing is removed then.
        """
        try:
            with self._transaction():
                for table in TABLES:
                    self._db.execute(f"DELETE FROM {table}")
        except sqlite3.Error as error:
            raise DiskError(_explain(self.path, error)) from None

    def commit(self, batch: Batch) -> None:
        """Make a batch durable; when this returns, it is, but for messages that can never be.

        Those are left out of the batch.  A disk that is full or broken may be mended, and its batch
        is tried again; a message that is too large for any database would be tried for ever.

        Raises:
            sqlite3.Error: nothing of it is.
        """
        try:
            self._commit(batch)
        except _NEVER:
            unstorable = self._unstorable(batch)
            if not unstorable:
                raise
            batch.leave_out(unstorable)
            self._commit(batch)

    def _unstorable(self, batch: Batch) -> list[tuple[HostedQueue, Placed]]:
        """Return the messages of a batch that are refused one by one; nothing is written."""
        found = []
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for queue, placed in batch.messages:
                try:
                    write(self._db, Batch(messages=[(queue, placed)]))
                except _NEVER as error:
                    found.append((queue, placed))
                    name = name_of(placed.msg)
                    _LOG.error(
                        "message %s can never be stored in queue %r, and is left out: %s",
                        name,
                        queue.name,
                        error,
                    )
        finally:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
        return found

    def _commit(self, batch: Batch) -> None:
        if not self._has_room(batch):
            raise sqlite3.OperationalError("database or disk is full")
        try:
            self._write(batch)
        except sqlite3.Error as error:
            full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
            if not (full and self._reserve.release()):
                raise
            self._apply_log()
            if not self._has_room(batch):
                raise
            self._write(batch)

    def _apply_log(self) -> None:
        """Bring what is in the log to its place, so that the room of the log can be used again."""
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(RESTART)")

    def _has_room(self, batch: Batch) -> bool:
        """Tell whether there is more than the reserve, or the batch fits where others have left."""
        if self._reserve.keep():
            return True
        sizes = (len(content_of(placed.msg).body) for _, placed in batch.messages)
        (pages,) = self._db.execute("PRAGMA freelist_count").fetchone()
        (size,) = self._db.execute("PRAGMA page_size").fetchone()
        adds = batch.created or batch.messages or batch.topology or batch.records
        return not adds or 2 * sum(sizes) < pages * size

    def _write(self, batch: Batch) -> None:
        with self._transaction():
            write(self._db, batch)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All that is executed within is done, or nothing of it."""
        if self._db.in_transaction:  # one that the disk let us neither commit nor roll back
            self._db.execute("ROLLBACK")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # what went wrong first says more
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the database; it can be opened again at once."""
        self._db.close()


def _explain(path: Path, error: Exception) -> str:
    if "locked" in str(error):
        return f"{path} is in use by another broker; stop that one or choose another directory"
    reason = error.strerror if isinstance(error, OSError) else error
    return f"{path} cannot be used: {reason}"
