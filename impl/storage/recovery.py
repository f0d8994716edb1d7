"""What a database has, read when a broker starts."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict

from ackproof.impl.access.directory import Record
from ackproof.impl.machines.publication import published
from ackproof.impl.machines.queue_processes import Placed
from ackproof.impl.storage.stored import StoredQueue
from ackproof.impl.topology.definitions import Binding, Destination, Exchange, Kind
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.tables import from_text
from ackproof.spec.sorts import Msg

__all__ = ["bindings", "entries", "exchanges", "queues", "records"]


def entries(db: sqlite3.Connection) -> dict[int, list[Placed]]:
    """Return what stands in each queue by its number, in its order."""
    messages = _messages(db)
    found: dict[int, list[Placed]] = defaultdict(list)
    rows = db.execute("SELECT queue, message, place, expires FROM entry ORDER BY place")
    for number, msg, place, expires in rows:
        found[number].append(Placed(messages[msg], place, expires))
    return found


def queues(db: sqlite3.Connection) -> list[StoredQueue]:
    """Return the durable queues, each with its messages."""
    messages = entries(db)
    return [
        StoredQueue(
            name,
            number,
            bool(auto_delete),
            messages.get(number, []),
            vhost,
            from_text(text),
        )
        for number, vhost, name, auto_delete, text in db.execute("SELECT * FROM queue")
    ]


def exchanges(db: sqlite3.Connection) -> list[Exchange]:
    """Return the durable exchanges, in the order in which they were declared."""
    rows = db.execute("SELECT * FROM exchange ORDER BY number")
    return [
        Exchange(
            vhost, name, kind, True, bool(auto_delete), bool(internal), from_text(text), number
        )
        for number, vhost, name, kind, auto_delete, internal, text in rows
    ]


def bindings(db: sqlite3.Connection) -> list[Binding]:
    """Return the durable bindings, in the order in which they were made."""
    rows = db.execute("SELECT * FROM binding ORDER BY number")
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


def records(db: sqlite3.Connection) -> list[Record]:
    """Return the users, permissions and virtual hosts."""
    rows = db.execute("SELECT kind, name, value FROM record ORDER BY kind, name")
    return [Record(kind, tuple(json.loads(name)), json.loads(value)) for kind, name, value in rows]


def _messages(db: sqlite3.Connection) -> dict[int, Msg]:
    """Return all messages by id, each once however many queues it stands in.

    Whoever published them does not wait for them any more.
    """
    return {
        msg: published(
            msg,
            Message(exchange, tuple(json.loads(keys)), False, True, properties, body),
            confirming=False,
        )
        for msg, exchange, keys, properties, body in db.execute(
            "SELECT id, exchange, routing_keys, properties, body FROM message"
        )
    }
