"""What is on the disk after a commit, and what a broker finds there when it starts."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.machines.publication import without_content
from ackproof.impl.storage import reserve
from ackproof.impl.storage.disk import Disk, DiskError
from ackproof.impl.storage.journal import Batch
from ackproof.impl.topology.definitions import Exchange
from ackproof.spec.sorts import Level, Msg
from pamqp import base, commands

from tests.impl.clients import Wire, content


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


@pytest.mark.parametrize("count", [1, 37, 300])
def test_however_many_a_commit_has_each_is_there_until_it_leaves(
    tmp_path: Path, count: int
) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    for _ in range(count - 1):
        wire.publish(1, "a")
    wire.say(1, *content("a", b"large" * 4_000))
    commit(wire.broker, disk)
    disk.close()
    disk = Disk(tmp_path)
    wire = Wire(Broker(stored=disk.recover())).opened()
    ready = {name: len(queue.machine.ready) for name, queue in wire.broker.queues.items()}
    assert ready == {"a": count + 1, "b": 1}
    wire.say(1, commands.Queue.Purge(queue="a"))
    commit(wire.broker, disk)
    assert (rows(disk, "entry"), rows(disk, "message")) == (1, 1)


def test_an_exclusive_queue_is_not_found_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="mine", durable=True, exclusive=True))
    wire.publish(1, "mine")
    commit(wire.broker, disk)
    disk.close()
    assert Disk(tmp_path).recover().queues == []


def test_the_contents_are_what_was_published(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="a", durable=True, nowait=True))
    commit(wire.broker, disk)
    wire.say(1, *content("a", b"body", headers={"BCC": ["x"], "k": "v"}))
    commit(wire.broker, disk)
    disk.close()
    row = sqlite3.connect(disk.path).execute("SELECT routing_keys, properties, body FROM message")
    keys, properties, body = row.fetchone()
    assert (keys, body) == ('["a", "x"]', b"body")
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


def test_a_database_that_is_damaged_is_refused(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    filled(disk)
    disk.close()
    damaged = bytearray(disk.path.read_bytes())
    damaged[4096:] = bytes(len(damaged) - 4096)
    disk.path.write_bytes(damaged)
    with pytest.raises(DiskError, match=r"is damaged: .*; start with another data directory"):
        Disk(tmp_path).recover()


def test_an_entry_without_its_message_is_damage(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    filled(disk)
    disk.close()
    with sqlite3.connect(disk.path) as other:
        other.execute("DELETE FROM message")
    other.close()
    with pytest.raises(DiskError, match="is damaged"):
        Disk(tmp_path).recover()


def test_nobody_else_can_read_what_is_stored(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        disk = Disk(tmp_path / "data")
        filled(disk)
    finally:
        os.umask(umask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in disk.path.parent.iterdir()}
    assert modes == dict.fromkeys(["node.reserve", "node.sqlite", "node.sqlite-wal"], 0o600)
    assert stat.S_IMODE(disk.path.parent.stat().st_mode) == 0o700
    disk.close()


def test_a_commit_that_fails_in_an_unknown_way_leaves_nothing(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    wire.publish(1, "a")
    batch = wire.broker.journal.take()
    batch.waiting.clear()
    (queue, placed) = batch.messages[0]
    batch.moved = [(queue, placed.msg, 2**70)]
    with pytest.raises(OverflowError):
        disk.commit(batch)
    batch.moved = []
    disk.commit(batch)
    assert rows(disk, "message") == 2


def test_another_format_is_refused(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.close()
    with sqlite3.connect(disk.path) as other:
        other.execute("PRAGMA user_version = 7")
    other.close()
    with pytest.raises(DiskError, match="has format 7 and this broker writes format 6"):
        Disk(tmp_path)


def test_every_commit_is_synced(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    assert disk._db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert disk._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def declare(exchange: str, **flags: Any) -> commands.Exchange.Declare:
    """Return the method for a durable fanout exchange."""
    return commands.Exchange.Declare(
        exchange=exchange, exchange_type="fanout", durable=True, nowait=True, **flags
    )


def bind(queue: str, exchange: str) -> commands.Queue.Bind:
    """Return queue.bind."""
    return commands.Queue.Bind(queue=queue, exchange=exchange, routing_key="k", nowait=True)


def committed(wire: Wire, disk: Disk, *methods: base.Frame) -> None:
    """Say methods, each when the disk knows of the ones before it."""
    for method in methods:
        wire.say(1, method)
        commit(wire.broker, disk)


def reached(broker: Broker, exchange: str, key: str = "k") -> dict[str, int]:
    """Publish a message to an exchange; return how many messages are ready in each queue."""
    Wire(broker).opened().say(1, *content(key, exchange=exchange))
    return {name: len(queue.machine.ready) for name, queue in broker.queues.items()}


def test_durable_exchanges_and_bindings_are_found_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    alternate = declare("x", internal=False)
    alternate.arguments = {"alternate-exchange": "rest"}
    between = commands.Exchange.Bind(destination="y", source="x", routing_key="k", nowait=True)
    committed(wire, disk, alternate, declare("y", auto_delete=True), bind("a", "y"), between)
    committed(wire, disk, bind("b", "amq.direct"))
    disk.close()
    broker = Broker(stored=Disk(tmp_path).recover())
    assert reached(broker, "x") == {"a": 2, "b": 1}
    assert reached(broker, "amq.direct") == {"a": 2, "b": 2}
    again = Wire(broker).opened()
    (answer,) = again.say(1, commands.Exchange.Declare(exchange="x", exchange_type="direct"))
    assert "received 'direct' but current is 'fanout'" in answer
    assert broker.vhosts["/"].topology.find("x").alternate == "rest"
    assert broker.vhosts["/"].topology.find("y").auto_delete


def test_what_is_transient_at_one_end_is_not_found_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    transient = commands.Exchange.Declare(exchange="t", exchange_type="fanout", nowait=True)
    mine = commands.Queue.Declare(queue="mine", durable=True, exclusive=True, nowait=True)
    fleeting = commands.Queue.Declare(queue="fleeting", nowait=True)
    committed(wire, disk, transient, mine, fleeting, bind("a", "t"), bind("mine", "amq.fanout"))
    committed(wire, disk, bind("fleeting", "amq.fanout"))
    disk.close()
    stored = Disk(tmp_path).recover()
    assert stored.exchanges == []
    assert stored.bindings == []


def test_what_was_deleted_is_not_found_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    committed(wire, disk, declare("x", auto_delete=True), bind("a", "x"), bind("b", "amq.fanout"))
    committed(wire, disk, bind("b", "amq.fanout"), commands.Queue.Delete(queue="a", nowait=True))
    unbind = commands.Queue.Unbind(queue="b", exchange="amq.fanout", routing_key="k")
    committed(wire, disk, unbind)
    disk.close()
    stored = Disk(tmp_path).recover()
    assert stored.exchanges == []
    assert stored.bindings == []
    assert [queue.name for queue in stored.queues] == ["b"]


def test_what_is_deleted_and_declared_again_within_one_commit_is_there(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    broker = Broker()
    topology = broker.vhosts["/"].topology
    exchange = Exchange("/", "x", "fanout", durable=True)
    for _ in range(2):
        broker.journal.changed(topology.delete("x", if_unused=False).durable())
        broker.journal.changed(topology.declare(exchange).durable())
        broker.journal.changed(topology.bind_exchange("x", "amq.direct", "k", {}).durable())
    commit(broker, disk)
    disk.close()
    stored = Disk(tmp_path).recover()
    assert [found.name for found in stored.exchanges] == ["x"]
    assert [found.source for found in stored.bindings] == ["x"]


def test_numbers_go_on_where_they_were(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    committed(filled(disk), disk, declare("x"), bind("a", "x"))
    disk.close()
    stored = Disk(tmp_path).recover()
    assert stored.last_number == stored.bindings[0].number == 4
    assert Broker(stored=stored).next_number() == 5


def test_queues_are_found_again_with_their_arguments_and_virtual_host(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    broker = Broker(vhosts=["other"])
    arguments = {"x-single-active-consumer": True, "comment": [1.5, None, {"k": b"\xff"}]}
    broker.vhosts["other"].declare(
        "q", durable=True, auto_delete=False, exclusive=False, arguments=arguments, asking=None
    )
    commit(broker, disk)
    disk.close()
    found = Broker(stored=Disk(tmp_path).recover()).vhosts["other"].queues["q"]
    assert found.arguments == arguments
    assert found.consumers.single


def test_an_empty_file_is_begun_with_and_not_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    disk = Disk(tmp_path)
    disk.close()
    assert not caplog.records, "there was no file"
    disk.path.write_bytes(b"")
    assert Disk(tmp_path).recover().queues == []
    (said,) = caplog.messages
    assert f"{disk.path} is empty" in said


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "node.sqlite") as other:
        other.execute("CREATE TABLE thing (a)")
    other.close()
    with pytest.raises(DiskError, match="is a database of something else"):
        Disk(tmp_path)


@pytest.mark.parametrize("table", ["queue", "exchange", "binding", "message", "entry", "record"])
def test_a_database_without_one_of_its_tables_is_refused(table: str, tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.close()
    with sqlite3.connect(disk.path) as other:
        other.execute(f"DROP TABLE {table}")
    other.close()
    with pytest.raises(DiskError, match=f"is damaged: no such table: {table}"):
        Disk(tmp_path).recover()


def test_a_full_disk_takes_what_removes_and_nothing_that_adds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    assert (tmp_path / "node.reserve").stat().st_size > 1 << 20
    monkeypatch.setattr(reserve, "_SIZE", 1 << 62)  # more than there is
    disk._reserve.release()
    batch = Batch(removed=[(wire.broker.queues["a"], without_content(msg)) for msg in ready(wire)])
    disk.commit(batch)
    wire.publish(1, "a", b"more than has left")
    with pytest.raises(sqlite3.Error, match="database or disk is full"):
        disk.commit(wire.broker.journal.take())
    assert rows(disk, "entry") == 1


def ready(wire: Wire) -> list[Msg]:
    """Return what stands in the queue `a`."""
    return wire.broker.queues["a"].ready()
