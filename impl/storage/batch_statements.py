"""What a batch is to the tables of a database: the statements that enter and remove it.

Whoever calls begins a transaction before and commits it after (`ackproof.impl.storage.disk`).
What has left its queue is removed before anything is entered, since a mirror may be given it anew;
queues that are deleted go last, since they may have been declared in the same batch.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from ackproof.impl.machines.publication import content_of, without_content
from ackproof.impl.storage.journal import Batch
from ackproof.impl.wire.tables import to_text
from ackproof.spec.sorts import Msg

__all__ = ["write"]

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


def write(db: sqlite3.Connection, batch: Batch) -> None:
    """Execute all that a batch says.

    Raises:
        sqlite3.Error: the database has refused some of it; the transaction is to be rolled back.
    """
    if batch.removed:
        _remove(db, batch)
    _insert(db, batch)
    moved = [(place, queue.number, msg) for queue, msg, place in batch.moved]
    db.executemany("UPDATE entry SET place = ? WHERE queue = ? AND message = ?", moved)
    if batch.deleted or batch.topology:
        _delete(db, batch)
    if batch.records:
        _record(db, batch)


def _record(db: sqlite3.Connection, batch: Batch) -> None:
    """Enter users, permissions and virtual hosts, or remove those that are gone."""
    if batch.anew:
        db.execute("DELETE FROM record")
    for kind, name, value in batch.records:
        key = (kind, json.dumps(name))
        db.execute("DELETE FROM record WHERE kind = ? AND name = ?", key)
        if value is not None:
            db.execute("INSERT INTO record VALUES (?, ?, ?)", (*key, json.dumps(value)))


def _remove(db: sqlite3.Connection, batch: Batch) -> None:
    """Remove what has left its queue; a mirror may have been told of it once more since."""
    removed: dict[int, list[Msg]] = defaultdict(list)
    for queue, msg in batch.removed:
        removed[queue.number].append(msg)
    for number, messages in removed.items():
        db.execute(_REMOVED, (number, json.dumps(messages)))
    _delete_messages(db, [msg for _, msg in batch.removed])


def _delete_messages(db: sqlite3.Connection, gone: list[Msg]) -> None:
    """Remove those of these messages that stand in no queue any more."""
    if gone:
        db.execute(_ORPHANS, (json.dumps(gone),))


def _insert(db: sqlite3.Connection, batch: Batch) -> None:
    if batch.created or batch.topology:
        _insert_topology(db, batch)
    large: list[tuple[Any, ...]] = []
    small: list[tuple[Any, ...]] = []
    for _, placed in batch.messages:
        message = content_of(placed.msg)
        keys = _keys_to_text(message.routing_keys)
        number = without_content(placed.msg)
        row = (number, message.exchange, keys, message.properties, message.body)
        size = len(message.properties) + len(message.body)
        (small if size <= _SMALL else large).append(row)
    _insert_many(db, "INSERT OR IGNORE INTO message", small)
    if large:
        db.executemany("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?)", large)
    _insert_many(
        db,
        "INSERT INTO entry",
        [
            (without_content(placed.msg), queue.number, placed.place, placed.expires)
            for queue, placed in batch.messages
        ],
    )


def _insert_topology(db: sqlite3.Connection, batch: Batch) -> None:
    db.executemany(
        "INSERT INTO queue VALUES (?, ?, ?, ?, ?)",
        [
            (queue.number, queue.vhost, queue.name, queue.auto_delete, to_text(queue.arguments))
            for queue in batch.created
        ],
    )
    db.executemany(
        "INSERT INTO exchange VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (x.number, x.vhost, x.name, x.type, x.auto_delete, x.internal, to_text(x.arguments))
            for x in batch.topology.declared
        ],
    )
    db.executemany(
        "INSERT INTO binding VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (b.number, b.vhost, b.source, *b.destination, b.key, b.identity)
            for b in batch.topology.bound
        ],
    )


def _insert_many(db: sqlite3.Connection, insert: str, rows: list[tuple[Any, ...]]) -> None:
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
        db.execute(f"{insert} VALUES {values}", [*chain.from_iterable(some)])
        start += count


def _delete(db: sqlite3.Connection, batch: Batch) -> None:
    gone: list[Msg] = []
    for queue in batch.deleted:
        rows = db.execute("SELECT message FROM entry WHERE queue = ?", (queue.number,))
        gone += [cast(Msg, msg) for (msg,) in rows]
        db.execute("DELETE FROM entry WHERE queue = ?", (queue.number,))
        db.execute("DELETE FROM queue WHERE number = ?", (queue.number,))
    db.executemany(
        "DELETE FROM exchange WHERE number = ?", [(x.number,) for x in batch.topology.deleted]
    )
    db.executemany(
        "DELETE FROM binding WHERE number = ?", [(b.number,) for b in batch.topology.unbound]
    )
    _delete_messages(db, gone)
