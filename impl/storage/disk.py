"""The disk: SQLite, as the store of everything that must outlive the broker.

One database for the node, in write-ahead mode, with `synchronous=FULL`: a commit returns when the
log has been synced.  So a commit that has returned is the spec's `sync` for every message in it,
and what `kill -9` or a power failure leaves behind is what was committed, no more and no less than
whole transactions.

A message is one row, and one entry for each queue that it stands in; the last entry to go takes
the row with it.  The database is opened for this process alone, so that two brokers cannot serve
the same directory.

Used by one thread at a time, and not always the same one: commits are made by a thread of their
own.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

from ackproof.impl.storage.journal import Batch
from ackproof.impl.storage.stored import Stored, StoredQueue
from ackproof.impl.topology.parts import Binding, Destination, Exchange, Kind
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.tables import from_text, to_text
from ackproof.spec.sorts import Msg

__all__ = ["Disk", "DiskError"]

_VERSION = 4

_SCHEMA = """
CREATE TABLE queue (
    number INTEGER PRIMARY KEY,
    vhost TEXT NOT NULL,
    name TEXT NOT NULL,
    auto_delete INTEGER NOT NULL,
    arguments TEXT NOT NULL
);
CREATE TABLE exchange (
    number INTEGER PRIMARY KEY,
    vhost TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    auto_delete INTEGER NOT NULL,
    internal INTEGER NOT NULL,
    arguments TEXT NOT NULL
);
CREATE TABLE binding (
    number INTEGER PRIMARY KEY,
    vhost TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    destination TEXT NOT NULL,
    routing_key TEXT NOT NULL,
    arguments TEXT NOT NULL
);
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    exchange TEXT NOT NULL,
    routing_keys TEXT NOT NULL,
    properties BLOB NOT NULL,
    body BLOB NOT NULL
);
CREATE TABLE entry (
    message INTEGER NOT NULL,
    queue INTEGER NOT NULL,
    expires REAL,
    PRIMARY KEY (message, queue)
) WITHOUT ROWID;
"""

_REMOVED = """
DELETE FROM entry WHERE queue = ? AND message IN (SELECT value FROM json_each(?))
"""
_ORPHANS = """
DELETE FROM message WHERE id IN (SELECT value FROM json_each(?))
    AND NOT EXISTS (SELECT 1 FROM entry WHERE message = message.id)
"""
#: Rows that one statement inserts: few different numbers, since each is a statement to prepare.
_AT_ONCE = (256, 32, 4, 1)


#: Bytes up to which a message is inserted together with others.
_SMALL = 1 << 14


def _keys_to_text(keys: tuple[str, ...]) -> str:
    return _remembered(keys) if len(keys) == 1 else json.dumps(keys)


#: Most messages have the same key as another one.
_remembered: Callable[[tuple[str, ...]], str] = lru_cache(1024)(json.dumps)


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
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise DiskError(_explain(self.path, error)) from None

    def _prepare(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version == 0:
            self._db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")
        elif version != _VERSION:
            raise DiskError(
                f"{self.path} has format {version} and this broker writes format {_VERSION}; "
                "start it with another data directory"
            )

    def recover(self) -> Stored:
        """Return everything that is here, with each queue its messages by id, oldest first.

        Raises:
            DiskError: it cannot be read any more.
        """
        try:
            return Stored(self._queues(), self._exchanges(), self._bindings())
        except (sqlite3.Error, ValueError, LookupError, TypeError) as error:
            raise DiskError(
                f"{self.path} is damaged: {error}; start with another data directory, "
                "or with a copy of this one from before"
            ) from None

    def entries(self) -> tuple[dict[int, dict[Msg, Message]], dict[int, dict[Msg, float]]]:
        """Return what stands in each queue by its number: the messages, and when they expire."""
        contents = self._contents()
        messages: dict[int, dict[Msg, Message]] = defaultdict(dict)
        expiries: dict[int, dict[Msg, float]] = defaultdict(dict)
        entries = self._db.execute("SELECT queue, message, expires FROM entry ORDER BY message")
        for number, msg, expires in entries:
            messages[number][msg] = contents[msg]
            if expires is not None:
                expiries[number][msg] = expires
        return messages, expiries

    def erase_all_but(self, numbers: Collection[int]) -> None:
        """Remove what stands in any queue but those of these numbers."""
        self._db.execute("BEGIN IMMEDIATE")
        kept = json.dumps(list(numbers))
        self._db.execute(
            "DELETE FROM entry WHERE queue NOT IN (SELECT value FROM json_each(?))", (kept,)
        )
        self._db.execute("DELETE FROM message WHERE id NOT IN (SELECT message FROM entry)")
        self._db.execute("COMMIT")

    def _queues(self) -> list[StoredQueue]:
        messages, expiries = self.entries()
        return [
            StoredQueue(
                name,
                number,
                bool(auto_delete),
                messages.get(number, {}),
                vhost,
                from_text(text),
                expiries.get(number, {}),
            )
            for number, vhost, name, auto_delete, text in self._db.execute("SELECT * FROM queue")
        ]

    def _exchanges(self) -> list[Exchange]:
        rows = self._db.execute("SELECT * FROM exchange ORDER BY number")
        return [
            Exchange(
                vhost, name, kind, True, bool(auto_delete), bool(internal), from_text(text), number
            )
            for number, vhost, name, kind, auto_delete, internal, text in rows
        ]

    def _bindings(self) -> list[Binding]:
        rows = self._db.execute("SELECT * FROM binding ORDER BY number")
        return [
            Binding(
                source,
                Destination(Kind(kind), name),
                key,
                text,
                vhost,
                from_text(text),
                durable=True,
                number=number,
            )
            for number, vhost, source, kind, name, key, text in rows
        ]

    def _contents(self) -> dict[Msg, Message]:
        """Return all messages by id, each once however many queues it stands in."""
        return {
            msg: Message(exchange, tuple(json.loads(keys)), False, True, properties, body)
            for msg, exchange, keys, properties, body in self._db.execute(
                "SELECT id, exchange, routing_keys, properties, body FROM message"
            )
        }

    def commit(self, batch: Batch) -> None:
        """Make a batch durable; when this returns, it is.

        Raises:
            sqlite3.Error: nothing of it is.
        """
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._remove(batch)
            self._insert(batch)
            self._delete(batch)
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _remove(self, batch: Batch) -> None:
        """Remove what has left its queue; a mirror may have been told of it once more since."""
        removed: dict[int, list[Msg]] = defaultdict(list)
        for queue, msg in batch.removed:
            removed[queue.number].append(msg)
        for number, messages in removed.items():
            self._db.execute(_REMOVED, (number, json.dumps(messages)))
        self._bury([msg for _, msg in batch.removed])

    def _bury(self, gone: list[Msg]) -> None:
        """Remove those of these messages that stand in no queue any more."""
        if gone:
            self._db.execute(_ORPHANS, (json.dumps(gone),))

    def _insert(self, batch: Batch) -> None:
        self._db.executemany(
            "INSERT INTO queue VALUES (?, ?, ?, ?, ?)",
            [
                (queue.number, queue.vhost, queue.name, queue.auto_delete, to_text(queue.arguments))
                for queue in batch.created
            ],
        )
        self._db.executemany(
            "INSERT INTO exchange VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (x.number, x.vhost, x.name, x.type, x.auto_delete, x.internal, to_text(x.arguments))
                for x in batch.topology.declared
            ],
        )
        self._db.executemany(
            "INSERT INTO binding VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (b.number, b.vhost, b.source, *b.destination, b.key, b.identity)
                for b in batch.topology.bound
            ],
        )
        large: list[tuple[Any, ...]] = []
        small: list[tuple[Any, ...]] = []
        for _, msg, content in batch.messages:
            keys = _keys_to_text(content.routing_keys)
            row = (msg, content.exchange, keys, content.properties, content.body)
            size = len(content.properties) + len(content.body)
            (small if size <= _SMALL else large).append(row)
        self._insert_many("INSERT OR IGNORE INTO message", small)
        self._db.executemany("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?)", large)
        self._insert_many(
            "INSERT INTO entry",
            [
                (msg, queue.number, batch.expiries.get((queue.number, msg)))
                for queue, msg, _ in batch.messages
            ],
        )

    def _insert_many(self, insert: str, rows: list[tuple[Any, ...]]) -> None:
        """Insert rows, many with each statement, which has copies of them all.

        SQLite works without Python's lock while it executes a statement, and gets it back when the
        event loop lets go of it: that is what takes long, and not the row.
        """
        start = 0
        while start < len(rows):
            count = next(size for size in _AT_ONCE if size <= len(rows) - start)
            some = rows[start : start + count]
            one = "(" + ", ".join("?" * len(some[0])) + ")"
            values = ", ".join([one] * count)
            self._db.execute(f"{insert} VALUES {values}", [*chain.from_iterable(some)])
            start += count

    def _delete(self, batch: Batch) -> None:
        gone: list[Msg] = []
        for queue in batch.deleted:
            rows = self._db.execute("SELECT message FROM entry WHERE queue = ?", (queue.number,))
            gone += [cast(Msg, msg) for (msg,) in rows]
            self._db.execute("DELETE FROM entry WHERE queue = ?", (queue.number,))
            self._db.execute("DELETE FROM queue WHERE number = ?", (queue.number,))
        self._db.executemany(
            "DELETE FROM exchange WHERE number = ?", [(x.number,) for x in batch.topology.deleted]
        )
        self._db.executemany(
            "DELETE FROM binding WHERE number = ?", [(b.number,) for b in batch.topology.unbound]
        )
        self._bury(gone)

    def close(self) -> None:
        """Close the database; it can be opened again at once."""
        self._db.close()


def _explain(path: Path, error: Exception) -> str:
    if "locked" in str(error):
        return f"{path} is in use by another broker; stop that one or choose another directory"
    reason = error.strerror if isinstance(error, OSError) else error
    return f"{path} cannot be used: {reason}"
