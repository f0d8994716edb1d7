"""When commits are made: at once if there is nothing to read, within the interval if there is."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from pathlib import Path

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.running import RunningBroker
from ackproof.impl.server import committer
from ackproof.impl.server.committer import Committer
from ackproof.impl.server.stepped_committer import SteppedCommitter
from ackproof.impl.steps.scheduler import Eager, Scheduler
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage import batch_commit
from ackproof.impl.storage.batch_commit import Storage
from ackproof.impl.storage.journal import Batch, Journal
from pamqp import commands

from tests.impl.clients import Wire
from tests.impl.sockets import PikaPublisher, blocking


class Memory:
    """A storage that remembers how many messages each commit had, and may refuse some."""

    def __init__(self, refusals: int = 0, inner: Storage | None = None) -> None:
        self.commits: list[int] = []
        self.threads: list[int] = []
        self._refusals = refusals
        self._inner = inner

    def commit(self, batch: Batch) -> None:
        """Take a batch, or refuse it."""
        if self._refusals and batch.messages:
            self._refusals -= 1
            raise sqlite3.OperationalError("database or disk is full")
        self.commits.append(len(batch.messages))
        self.threads.append(threading.get_ident())
        if self._inner is not None:
            self._inner.commit(batch)


def test_with_nothing_to_read_a_commit_does_not_wait_for_the_interval() -> None:
    async def scene() -> list[str]:
        wire = Wire().opened().with_queue("q").confirming()
        done = asyncio.Event()
        commits = Committer(wire.broker, Memory(), done.set, interval=3600)
        wire.publish(1, "q")
        commits.poke()
        wire.publish(1, "q")
        commits.poke()
        await asyncio.wait_for(done.wait(), 30)
        await commits.stop()
        return wire.hear()

    assert asyncio.run(scene()) == ["1 ack 2*"]


async def committed_by_the_loop(sizes: list[int]) -> list[bool]:
    """Commit so many messages each time; tell which commits the event loop has made itself."""
    wire = Wire().opened().with_queue("q").confirming()
    storage, done = Memory(), asyncio.Event()
    commits = Committer(wire.broker, storage, done.set, interval=3600)
    for size in sizes:
        for _ in range(size):
            wire.publish(1, "q")
        commits.poke()
        await asyncio.wait_for(done.wait(), 30)
        done.clear()
    await commits.stop()
    assert storage.commits == sizes
    return [thread == threading.get_ident() for thread in storage.threads]


def test_a_small_commit_after_a_quick_one_is_made_by_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(committer, "QUICK", 3600)
    by_the_loop = asyncio.run(committed_by_the_loop([1, 1, 2, 50, 1]))
    assert by_the_loop == [False, True, True, False, True]


def test_where_the_disk_is_slow_no_commit_is_made_by_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(committer, "QUICK", 0.0)
    assert asyncio.run(committed_by_the_loop([1, 1, 1])) == [False, False, False]


def test_under_load_a_commit_does_not_wait_for_a_pause() -> None:
    async def scene() -> int:
        wire = Wire().opened().with_queue("q").confirming()
        storage = Memory()
        commits = Committer(wire.broker, storage, lambda: None, interval=0.001)
        turns = 0
        while not storage.commits and turns < 1_000_000:
            turns += 1
            wire.publish(1, "q")
            commits.poke()
            await asyncio.sleep(0)
        await commits.stop()
        return turns

    assert asyncio.run(scene()) < 1_000_000


def test_many_messages_are_committed_at_once_whatever_else_there_is_to_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(committer, "_ENOUGH", 3)

    async def scene() -> list[int]:
        wire = Wire().opened().with_queue("q").confirming()
        storage = Memory()
        commits = Committer(wire.broker, storage, lambda: None, interval=3600)
        for _ in range(5):
            wire.publish(1, "q")
            commits.poke()
        await commits.stop()
        return storage.commits

    assert asyncio.run(scene()) == [3, 2]


def test_what_comes_while_the_disk_refuses_does_not_make_it_be_asked_more_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(committer, "_ENOUGH", 1)
    monkeypatch.setattr(batch_commit, "RETRY", 3600)

    async def scene() -> int:
        wire = Wire().opened().with_queue("q").confirming()
        storage = Memory(1000)
        commits = Committer(wire.broker, storage, lambda: None, interval=0)
        for _ in range(100):
            wire.publish(1, "q")
            commits.poke()
            await asyncio.sleep(0.001)
        await commits.stop(at_once=True)
        return 1000 - storage._refusals

    assert asyncio.run(scene()) == 1


def test_what_comes_while_a_commit_is_under_way_makes_the_next_one() -> None:
    wire = Wire().opened().with_queue("q").confirming()
    wire.publish(1, "q")
    first = wire.broker.journal.take()
    wire.publish(1, "q")
    assert not wire.broker.journal.pending, "one at a time"
    wire.broker.committed(first)
    assert wire.broker.journal.pending


def test_stopping_commits_what_is_left() -> None:
    async def scene() -> list[int]:
        wire = Wire().opened().with_queue("q").confirming()
        storage = Memory()
        commits = Committer(wire.broker, storage, lambda: None, interval=3600)
        wire.publish(1, "q")
        await commits.stop()
        return storage.commits

    assert asyncio.run(scene()) == [1]


@pytest.mark.parametrize("scheduler", [Eager(), Seeded(1)], ids=["by time", "by steps"])
@pytest.mark.parametrize("at_once", [False, True])
def test_stopping_at_once_commits_nothing_more(scheduler: Scheduler, at_once: bool) -> None:
    async def scene() -> list[int]:
        wire = Wire(Broker(scheduler)).opened().with_queue("q").confirming()
        wire.broker.run(idle=True)
        storage = Memory()
        wire.publish(1, "q")
        commits = committer.committer(wire.broker, storage, lambda: None, 3600)
        await commits.stop(at_once=at_once)
        return storage.commits

    assert asyncio.run(scene()) == ([] if at_once else [1])


def test_a_commit_that_has_begun_waits_while_commits_are_held() -> None:
    wire = Wire(Broker(Seeded(1))).opened().with_queue("q").confirming()
    wire.publish(1, "q")
    storage = Memory()
    SteppedCommitter(wire.broker, storage, lambda: None)
    wire.broker.steps.disk.write()
    wire.broker.faults.hold_fsync()
    wire.broker.run(idle=True)
    assert storage.commits == []
    wire.broker.faults.release_fsync()
    wire.broker.run(idle=True)
    assert storage.commits == [1]


def test_a_disk_that_refuses_is_asked_again_and_nothing_is_confirmed_twice(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 0.01)
    with (
        caplog.at_level(logging.ERROR),
        RunningBroker(tmp_path, wrap=lambda disk: Memory(3, disk)) as broker,
    ):
        with blocking(broker.port) as channel:
            channel.queue_declare("q", durable=True)
        publisher = PikaPublisher(broker.port)
        publisher.publish("q", b"x", 100)
        publisher.wait()
        publisher.close()
    assert publisher.acked == set(range(1, 101))
    assert publisher.reused == []
    said = "commit failed, trying again in 0.01 s: database or disk is full"
    assert [record.message for record in caplog.records] == [said] * 3


class Broken:
    """A storage with a fault of its own, for the first commit that has messages."""

    def __init__(self) -> None:
        self.commits: list[int] = []
        self.threads: list[int] = []
        self._broken = True

    def commit(self, batch: Batch) -> None:
        """Take a batch, or fail in a way that nobody has thought of."""
        if self._broken and batch.messages:
            self._broken = False
            raise KeyError("unexpected")
        self.commits.append(len(batch.messages))
        self.threads.append(threading.get_ident())


def test_a_batch_that_the_disk_has_refused_is_tried_again_though_there_is_nothing_in_it() -> None:
    journal = Journal()
    journal.failed(Batch())
    assert journal.pending
    assert not journal.take()


@pytest.mark.parametrize("scheduler", [Eager, lambda: Seeded(7)], ids=["eager", "seeded"])
def test_a_commit_that_fails_in_an_unknown_way_is_tried_again(
    scheduler: type[Eager], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 0.0)

    async def scene() -> list[int]:
        wire = Wire(Broker(scheduler())).opened()
        storage = Broken()
        commits = committer.committer(wire.broker, storage, lambda: None, 0.0)
        wire.say(1, commands.Queue.Declare(queue="q", durable=True))
        wire.publish(1, "q")
        for _ in range(1000):
            commits.poke()
            wire.hear()
            if sum(storage.commits):
                break
            await asyncio.sleep(0.001)
        await commits.stop()
        return storage.commits

    assert sum(asyncio.run(scene())) == 1
    assert "unexpected" in caplog.text


def test_what_has_come_since_a_commit_failed_is_committed_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 3600.0)

    async def scene() -> list[int]:
        wire = Wire().opened().with_queue("q")
        storage = Memory(refusals=1)
        commits = Committer(wire.broker, storage, lambda: None)
        wire.publish(1, "q")
        while storage._refusals:
            commits.poke()
            await asyncio.sleep(0.001)
        wire.publish(1, "q")
        await commits.stop()
        return storage.commits

    assert asyncio.run(scene()) == [1, 1]
