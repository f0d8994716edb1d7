"""Each replica has a store of its own, and the node knows which of them led last."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.machines.publication import content_of
from ackproof.impl.running import RunningBroker
from ackproof.impl.steps.scheduler import Eager, Step
from ackproof.impl.storage.disk import Disk, DiskError
from ackproof.impl.storage.journal import Batch
from ackproof.impl.storage.replica_disks import Disks, open_disks
from pamqp import commands

from tests.impl.clients import Wire, content, encode
from tests.impl.sockets import Bare

REPLICAS = 3


class Run:
    """A broker with mirrored queues from its start to its end, on the disks of a directory."""

    def __init__(self, path: Path, replicas: int = REPLICAS) -> None:
        self.disks = open_disks(path, replicas)
        self.broker = Broker(stored=self.disks.recover(), replicas=replicas)
        self.wire = Wire(self.broker).opened().confirming()

    def declare(self) -> Run:
        """Declare the queue `q`."""
        self.wire.say(1, commands.Queue.Declare(queue="q", durable=True))
        self.commit()
        return self

    def commit(self) -> list[str]:
        """Bring everything to the disks; return what the broker says when that is done."""
        while self.broker.journal.pending:
            batch = self.broker.journal.take()
            self.disks.commit(batch)
            self.broker.committed(batch)
            self.broker.run(idle=True)
        return self.wire.hear()

    def end(self) -> None:
        """Let go of the disks; what is not on them is lost."""
        self.disks.close()

    def bodies(self) -> list[list[bytes]]:
        """Return what is ready in each process of the queue, its master first."""
        self.broker.run(idle=True)
        membership = self.broker.queues["q"].membership
        assert membership is not None
        return [[content_of(msg).body for msg in p.ready()] for p in membership]


def counts(path: Path) -> list[int]:
    """Return how many entries each of the stores has."""
    found = []
    for folder in (path, *(path / f"replica-{n}" for n in range(1, REPLICAS))):
        with closing(sqlite3.connect(folder / "node.sqlite")) as one:
            found.append(one.execute("SELECT count(*) FROM entry").fetchone()[0])
    return found


def test_each_replica_has_each_message_on_its_own_disk(tmp_path: Path) -> None:
    run = Run(tmp_path).declare()
    for text in (b"a", b"b"):
        run.wire.publish(1, "q", text)
    assert run.commit() == ["1 ack 2*"]
    run.end()
    assert counts(tmp_path) == [2, 2, 2]


def test_a_node_that_starts_again_finds_the_master_and_gives_the_mirrors_all(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path).declare()
    run.wire.publish(1, "q", b"a")
    run.commit()
    run.end()
    run = Run(tmp_path)
    assert run.bodies() == [[b"a"]] * 3
    run.commit()
    run.end()
    assert counts(tmp_path) == [1, 1, 1]


def test_the_process_that_led_last_is_the_one_that_recovers(tmp_path: Path) -> None:
    run = Run(tmp_path).declare()
    run.wire.publish(1, "q", b"a")
    run.commit()
    run.broker.faults.kill_replica("q", 0)
    run.wire.publish(1, "q", b"b")
    assert run.commit() == ["1 ack 2"]
    run.end()
    assert counts(tmp_path) == [0, 2, 2]
    run = Run(tmp_path)
    assert run.broker.queues["q"].replica == 1
    assert run.bodies() == [[b"a", b"b"]] * 3
    run.end()


def test_what_only_a_mirror_had_is_erased_when_the_node_starts_again(tmp_path: Path) -> None:
    run = Run(tmp_path).declare()
    run.wire.publish(1, "q", b"a")
    run.commit()
    run.end()
    Run(tmp_path).end()
    assert counts(tmp_path) == [1, 0, 0]


def test_a_replica_that_comes_back_has_its_store_filled_again(tmp_path: Path) -> None:
    run = Run(tmp_path).declare()
    run.wire.publish(1, "q", b"a")
    run.commit()
    run.broker.faults.kill_replica("q", 2)
    run.commit()
    assert run.bodies() == [[b"a"]] * 2
    run.broker.faults.restart_replica("q", 2)
    run.commit()
    run.end()
    assert counts(tmp_path) == [1, 1, 1]


def test_a_deleted_queue_leaves_nothing_on_any_disk(tmp_path: Path) -> None:
    run = Run(tmp_path).declare()
    run.wire.publish(1, "q", b"a")
    run.commit()
    run.wire.say(1, commands.Queue.Delete(queue="q"))
    run.commit()
    run.end()
    assert counts(tmp_path) == [0, 0, 0]


def test_a_batch_that_one_disk_refuses_is_tried_again_on_that_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path).declare()
    run.commit()
    run.wire.publish(1, "q", b"a")
    batch = run.broker.journal.take()
    commit = Disk.commit

    def refuse(disk: Disk, batch: Batch) -> None:
        if disk.path.parent.name == "replica-1":
            raise sqlite3.OperationalError("full")
        commit(disk, batch)

    monkeypatch.setattr(Disk, "commit", refuse)
    with pytest.raises(sqlite3.OperationalError, match="full"):
        run.disks.commit(batch)
    run.broker.journal.failed(batch)
    assert run.wire.hear() == []
    monkeypatch.undo()
    assert run.commit() == ["1 ack 1"]
    run.end()
    assert counts(tmp_path) == [1, 1, 1]


@pytest.mark.parametrize("fewer", [1, 2])
def test_a_directory_is_not_opened_with_fewer_replicas_than_it_has(
    tmp_path: Path, fewer: int
) -> None:
    Disks(tmp_path, REPLICAS).close()
    with pytest.raises(DiskError, match=r"has data of 3 replicas.*start it with --replicas 3"):
        open_disks(tmp_path, fewer)


def test_what_there_is_to_know_of_a_queue_tells_of_its_processes() -> None:
    with RunningBroker(replicas=2) as broker:
        client = Bare(broker.port).opened()
        client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
        client.send(encode(1, commands.Queue.Declare(queue="alone")))
        while "alone" not in client.line():
            pass
        broker.slow_replica("q", 1)
        told = {queue["name"]: queue.get("replicas") for queue in broker.queues()}
        client.close()
    common = {"running": True, "synchronised": True, "held": 0}
    assert told == {
        "q": [
            {"replica": 0, "leads": True, "slow": False, **common},
            {"replica": 1, "leads": False, "slow": True, **common},
        ],
        "alone": None,
    }


@pytest.mark.parametrize("seed", [None, 5])
def test_what_was_confirmed_outlives_a_killed_master_and_a_restart(
    tmp_path: Path, seed: int | None
) -> None:
    with RunningBroker(tmp_path, replicas=REPLICAS, seed=seed) as broker:
        client = Bare(broker.port).opened()
        client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
        assert client.line().startswith("1 Queue.DeclareOk q ")
        for number in (1, 2):
            client.send(encode(1, *content("q")))
            assert client.line() == f"1 ack {number}"
            broker.kill_replica("q", number - 1)
        broker.restart_replica("q", 0)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 3"
        broker.restart_node()
        assert broker.depth("q") == 3
        broker.check()
        client.close()
    with RunningBroker(tmp_path, replicas=REPLICAS) as broker:
        assert broker.depth("q") == 3


def test_serve_refuses_fewer_replicas_than_there_were(tmp_path: Path) -> None:
    Disks(tmp_path / "there", 5).close()
    command = [sys.executable, "-m", "ackproof.cli", "serve", "--port", "0", "--replicas", "2"]
    done = subprocess.run(
        [*command, "--data", "there"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert re.search(r"there has data of 5 replicas.*start it with --replicas 5", done.stderr)
    assert "Traceback" not in done.stderr


class Waiting(Eager):
    """Takes no step while a test takes steps of its own."""

    waits = False

    def take(self, idle: bool) -> Step | None:
        return None if self.waits else super().take(idle)


def test_a_mirror_that_was_synchronised_recovers_in_its_masters_order(tmp_path: Path) -> None:
    run = Run(tmp_path, replicas=2)
    run.broker.steps.context.scheduler = scheduler = Waiting()
    run.declare()
    for text in (b"a", b"b", b"c"):
        run.wire.publish(1, "q", text)
    run.commit()
    run.broker.faults.kill_replica("q", 1)
    run.commit()
    queue, steps, scheduler.waits = run.broker.queues["q"], run.broker.steps, True
    steps.processes.join(queue, 1)
    assert queue.membership is not None
    (mirror,) = queue.membership.mirrors
    run.wire.session.receive(encode(1, *content("q", b"d")))
    steps.arrivals.deliver(run.wire.session.channels[1].publishing, queue)
    steps.mirrors.follow(mirror)  # it has what is new, and nothing else, and so has its disk
    batch = run.broker.journal.take()
    run.disks.commit(batch)
    run.broker.committed(batch)
    steps.processes.synchronise(mirror)
    scheduler.waits = False
    run.broker.run(idle=True)
    run.commit()
    run.broker.faults.kill_replica("q", 0)
    run.commit()
    run.end()
    again = Run(tmp_path, replicas=2)
    assert again.bodies()[0] == [b"a", b"b", b"c", b"d"]
    again.end()


def test_a_broker_that_comes_back_with_mirrors_runs_in_lockstep(tmp_path: Path) -> None:
    for _ in range(2):
        with RunningBroker(tmp_path, lockstep=True, replicas=3) as broker:
            client = Bare(broker.port).opened()
            client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
            client.send(encode(1, commands.Confirm.Select(), *content("q", persistent=True)))
            assert "1 ack 1" in [client.line() for _ in range(3)]
            broker.check()
