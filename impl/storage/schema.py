"""The tables of a database, and the version of this format.

A message is one row, and one entry for each queue that it stands in, with its place there.
Arguments are text, as `ackproof.impl.wire.tables` writes it.
"""

from __future__ import annotations

__all__ = ["RECORDS", "SCHEMA", "TABLES", "VERSION"]

VERSION = 6

#: What version 6 has and version 5 did not: users, permissions and virtual hosts.
RECORDS = """
CREATE TABLE record (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
"""

SCHEMA = f"""{RECORDS}
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
    place INTEGER NOT NULL,
    expires REAL,
    PRIMARY KEY (message, queue)
) WITHOUT ROWID;
"""

TABLES = ("record", "queue", "exchange", "binding", "message", "entry")
