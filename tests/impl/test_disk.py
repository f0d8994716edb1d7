"""What is on the disk after a commit, and what a broker finds there when it starts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.disk import Disk, DiskError
from ackproof.spec.sorts import Level
from pamqp import commands

from tests.impl.wire import Wire, content


def commit(broker: Broker, disk: Disk) -> None:
    """Commit what is pending, for real."""
    while broker.journal.pending:
        batch = broker.journal.take()
        disk.commit(batch)
        broker.committed(batch)
    broker.run(idle=True)


def rows(disk: Disk, table: str) -> int:
    """Count the rows of a table."""
    disk.close()
    count: int = sqlite3.connect(disk.path).execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return count


def filled(disk: Disk) -> Wire:
    """Return a broker with two durable queues and a message in both of them, committed."""
    wire = Wire().opened().confirming()
    for name in "ab":
        wire.say(1, commands.Queue.Declare(queue=name, durable=True, nowait=True))
        commit(wire.broker, disk)
    wire.say(1, *content("a", headers={"CC": ["b"]}))
    commit(wire.broker, disk)
    return wire


def test_persistent_messages_in_durable_queues_are_found_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    wire.publish(1, "a", persistent=False)
    wire.say(1, commands.Queue.Declare(queue="transient", nowait=True))
    wire.publish(1, "transient")
    commit(wire.broker, disk)
    disk.close()
    broker = Broker(stored=Disk(tmp_path).recover())
    assert {name: len(q.machine.ready) for name, q in broker.queues.items()} == {"a": 1, "b": 1}
    levels = [list(queue.machine.store.level.values()) for queue in broker.queues.values()]
    assert levels == [[Level.SYNCED], [Level.SYNCED]]


def test_a_recovered_queue_goes_on_where_it_was(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    filled(disk)
    disk.close()
    disk = Disk(tmp_path)
    wire = Wire(Broker(stored=disk.recover())).opened().confirming()
    wire.publish(1, "a")
    commit(wire.broker, disk)
    assert wire.hear() == ["1 ack 1"]
    wire.say(1, commands.Queue.Declare(queue="c", durable=True, nowait=True))
    wire.publish(1, "c")
    commit(wire.broker, disk)
    disk.close()
    broker = Broker(stored=Disk(tmp_path).recover())
    assert {name: len(q.machine.ready) for name, q in broker.queues.items()} == {
        "a": 2,
        "b": 1,
        "c": 1,
    }


def test_a_message_is_stored_once_however_many_queues_it_stands_in(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    filled(disk)
    assert rows(disk, "message") == 1
    assert rows(disk, "entry") == 2


def test_a_message_is_gone_when_its_last_queue_has_dropped_it(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    wire.say(1, commands.Queue.Purge(queue="a"))
    commit(wire.broker, disk)
    wire.say(1, commands.Queue.Delete(queue="b", nowait=True))
    commit(wire.broker, disk)
    assert rows(disk, "entry") == 0
    assert rows(disk, "message") == 0
    assert rows(disk, "queue") == 1


def test_a_message_stays_while_one_of_its_queues_has_it(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    wire.say(1, commands.Queue.Delete(queue="a", nowait=True))
    commit(wire.broker, disk)
    assert rows(disk, "message") == 1


def test_an_exclusive_queue_is_not_found_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="mine", durable=True, exclusive=True))
    wire.publish(1, "mine")
    commit(wire.broker, disk)
    disk.close()
    assert Disk(tmp_path).recover() == []


def test_the_contents_are_what_was_published(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="a", durable=True, nowait=True))
    commit(wire.broker, disk)
    wire.say(1, *content("a", b"body", headers={"BCC": ["x"], "k": "v"}))
    commit(wire.broker, disk)
    disk.close()
    row = sqlite3.connect(disk.path).execute("SELECT routing_key, properties, body FROM message")
    key, properties, body = row.fetchone()
    assert (key, body) == ("a", b"body")
    assert b"BCC" not in properties
    assert b"\x01kS\x00\x00\x00\x01v" in properties


def test_a_commit_that_fails_leaves_nothing(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    wire.publish(1, "a")
    batch = wire.broker.journal.take()
    batch.created.append(wire.broker.queues["a"])
    with pytest.raises(sqlite3.IntegrityError):
        disk.commit(batch)
    batch.created.clear()
    disk.commit(batch)
    assert rows(disk, "entry") == 3


def test_a_directory_is_served_by_one_broker(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    with pytest.raises(DiskError, match="is in use by another broker"):
        Disk(tmp_path)
    disk.close()
    Disk(tmp_path).close()


def test_a_file_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DiskError, match="cannot be used"):
        Disk(tmp_path / "file")


def test_a_database_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "node.sqlite").write_bytes(b"not a database at all, but long enough to be one" * 9)
    with pytest.raises(DiskError, match="file is not a database"):
        Disk(tmp_path)


def test_another_format_is_refused(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.close()
    with sqlite3.connect(disk.path) as other:
        other.execute("PRAGMA user_version = 7")
    other.close()
    with pytest.raises(DiskError, match="has format 7 and this broker writes format 1"):
        Disk(tmp_path)


def test_every_commit_is_synced(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    assert disk._db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert disk._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
