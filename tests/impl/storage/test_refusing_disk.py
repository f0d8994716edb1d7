"""A disk that is really full: nothing is acked that it has not, publishers wait, and it ends."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.running import RunningBroker
from ackproof.impl.storage import batch_commit
from ackproof.impl.storage.batch_commit import Storage
from ackproof.impl.storage.disk import Disk
from ackproof.impl.storage.replica_disks import Disks
from pamqp import commands

from tests.impl.clients import content, encode
from tests.impl.sockets import Bare, eventually, publisher

#: More than what is free in a database that has just been made.
LARGE = bytes(100_000)

FAILED = "commit failed, trying again in 0.02 s: database or disk is full"
SET = "disk alarm set: publishers are blocked until a commit succeeds"
OVER = "disk alarm over: commits succeed again"


class Full:
    """A disk whose database may not become larger, or may again."""

    def __init__(self) -> None:
        self.disk: Disk | None = None

    def __call__(self, disk: Storage) -> Storage:
        assert isinstance(disk, Disk)
        self.disk = disk
        return disk

    def limit(self, pages: int) -> None:
        """Let the database have so many pages, at least as many as it has."""
        assert self.disk is not None
        self.disk._db.execute(f"PRAGMA max_page_count = {pages}")


@pytest.mark.parametrize("seed", [None, 3])
def test_publishers_are_blocked_while_the_disk_is_full_and_are_acked_when_it_is_not(
    seed: int | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 0.02)
    full = Full()
    with caplog.at_level(logging.WARNING), RunningBroker(tmp_path, wrap=full, seed=seed) as broker:
        client = publisher(broker)
        broker.ask(lambda _: full.limit(1))
        client.send(encode(1, *content("q", LARGE)))
        eventually(lambda: SET in caplog.messages)
        assert FAILED in caplog.messages
        client.send(encode(1, *content("q")))
        assert client.line() == "0 Connection.Blocked"
        assert not [entry for entry in broker.history if entry.kind in ("ack", "nack")]
        assert broker.depth("q") == 1, "consumers may have it all the same"
        broker.ask(lambda _: full.limit(1 << 30))
        said = [client.line()]
        while said[-1] not in ("1 ack 2", "1 ack 2*"):
            said.append(client.line())
        assert "0 Connection.Unblocked" in said
        assert OVER in caplog.messages
        client.close()
        broker.check()
    with RunningBroker(tmp_path) as broker:
        assert broker.depth("q") == 2


@pytest.mark.parametrize("seed", [None, 3])
def test_a_consumer_goes_on_while_the_disk_is_full_and_what_it_takes_is_acked(
    seed: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 3600.0)
    full = Full()
    with caplog.at_level(logging.WARNING), RunningBroker(tmp_path, wrap=full, seed=seed) as broker:
        client, other = publisher(broker), publisher(broker)
        broker.ask(lambda _: full.limit(1))
        client.send(encode(1, *content("q", LARGE)))
        eventually(lambda: SET in caplog.messages)
        other.send(encode(1, commands.Basic.Get(queue="q", no_ack=True)))
        assert other.line().startswith("1 get-ok 1 ")
        assert client.line() == "1 ack 1", "the disk need not have what is consumed"
        assert OVER not in caplog.messages
        broker.ask(lambda _: full.limit(1 << 30))
        client.close()
        other.close()


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("how", ["acked", "purged", "deleted"])
def test_a_full_disk_is_cured_by_what_leaves_it(
    seed: int | None, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 0.02)
    full = Full()
    with RunningBroker(tmp_path, wrap=full, seed=seed) as broker:
        client, other = publisher(broker), Bare(broker.port).opened()
        other.send(encode(1, commands.Queue.Declare(queue="old", durable=True)))
        assert other.line().startswith("1 Queue.DeclareOk ")
        for number in range(3):
            client.send(encode(1, *content("old", LARGE)))
            assert client.line() == f"1 ack {number + 1}"
        broker.ask(lambda _: full.limit(1))
        client.send(encode(1, *content("q", LARGE)))
        eventually(lambda: broker.ask(lambda b: b.journal.refused))
        leave(other, how)
        assert client.line() == "1 ack 4"
        client.close()
        other.close()
        broker.check()
    with RunningBroker(tmp_path) as broker:
        assert broker.depth("q") == 1
        assert how == "deleted" or broker.depth("old") == 0, "and it stays like that"


def leave(client: Bare, how: str) -> None:
    """Let three messages leave the queue `old`."""
    if how == "purged":
        client.send(encode(1, commands.Queue.Purge(queue="old")))
    elif how == "deleted":
        client.send(encode(1, commands.Queue.Delete(queue="old")))
    else:
        for _ in range(3):
            client.send(encode(1, commands.Basic.Get(queue="old")))
            client.line()
            client.line()
            client.line()
        client.send(encode(1, commands.Basic.Ack(3, multiple=True)))


def test_what_is_consumed_before_a_full_disk_has_it_never_gets_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 0.02)
    full = Full()
    with RunningBroker(tmp_path, wrap=full) as broker:
        client, other = publisher(broker), Bare(broker.port).opened()
        broker.ask(lambda _: full.limit(1))
        client.send(encode(1, *content("q", LARGE), *content("q", b"small")))
        eventually(lambda: broker.ask(lambda b: b.journal.refused))
        other.send(encode(1, commands.Basic.Get(queue="q", no_ack=True)))
        assert client.line() == "1 ack 1", "nobody needs it any more"
        assert client.line() == "1 ack 2", "and the other one has room"
        eventually(lambda: not broker.ask(lambda b: b.journal.refused))
        client.close()
        other.close()
        broker.check()
    with RunningBroker(tmp_path) as broker:
        assert broker.depth("q") == 1


class Narrow(Full):
    """A disk on which no text or body may be longer than that."""

    def narrow(self, length: int) -> None:
        """Take nothing longer from now on."""
        assert self.disk is not None
        self.disk._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, length)


class NarrowReplicas(Narrow):
    """The same of each replica."""

    def __call__(self, disk: Storage) -> Storage:
        assert isinstance(disk, Disks)
        self.disks = disk
        return disk

    def narrow(self, length: int) -> None:
        """Take nothing longer from now on."""
        for disk in self.disks._disks:
            disk._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, length)


@pytest.mark.parametrize("replicas", [1, 3])
@pytest.mark.parametrize("seed", [None, 3])
def test_a_message_that_can_never_be_stored_ends_its_connection_and_nobody_elses(
    seed: int | None, replicas: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    narrow = Narrow() if replicas == 1 else NarrowReplicas()
    with (
        caplog.at_level(logging.ERROR),
        RunningBroker(tmp_path, wrap=narrow, seed=seed, replicas=replicas) as broker,
    ):
        other = publisher(broker)
        client = Bare(broker.port).opened()
        broker.ask(lambda _: narrow.narrow(50_000))
        client.send(encode(1, *content("q", b"before")))
        assert client.line() == "1 ack 1"
        client.send(encode(1, *content("q", LARGE)))
        other.send(encode(1, *content("q", b"after")))
        assert other.line() == "1 ack 1"
        closed = "541 INTERNAL_ERROR - a message cannot be stored, whatever the disk"
        assert f"0 Connection.Close {closed}" in client.rest()
        other.send(encode(1, *content("q", b"later")))
        assert other.line() == "1 ack 2"
        assert [m for m in caplog.messages if "can never be stored in queue 'q', and is left" in m]
        broker.check()
        other.close()
    with RunningBroker(tmp_path, replicas=replicas) as broker:
        assert broker.depth("q") == 3
