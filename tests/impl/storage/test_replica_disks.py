"""A batch for several databases, of which the node may see only a part to its end."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from ackproof.impl.storage.disk import Disk
from ackproof.impl.storage.journal import Batch

from tests.impl.storage.test_mirrors_on_disk import REPLICAS, Run


def ends_after(monkeypatch: pytest.MonkeyPatch, transactions: int) -> None:
    """Let the node end when so many more transactions have been committed."""
    commit = Disk.commit
    left = iter(range(transactions))

    def until_then(disk: Disk, batch: Batch) -> None:
        if next(left, None) is None:
            raise sqlite3.OperationalError("the node has ended")
        commit(disk, batch)

    monkeypatch.setattr(Disk, "commit", until_then)


def end_within_a_commit(run: Run, transactions: int) -> None:
    """End while a batch is being committed, with so many of its transactions done."""
    with pytest.MonkeyPatch.context() as patch, suppress(sqlite3.OperationalError):
        ends_after(patch, transactions)
        run.disks.commit(run.broker.journal.take())
    run.end()


def confirmed(path: Path) -> Run:
    """Return a broker with one confirmed message, which all three replicas have."""
    run = Run(path).declare()
    run.wire.publish(1, "q", b"a")
    assert run.commit() == ["1 ack 1"]
    return run


@pytest.mark.parametrize("transactions", range(REPLICAS + 2))
def test_what_was_confirmed_is_there_when_the_node_ends_while_it_learns_of_a_new_leader(
    tmp_path: Path, transactions: int
) -> None:
    run = confirmed(tmp_path)
    for replica in (1, 2):
        run.broker.faults.kill_replica("q", replica)
    run.commit()
    run.broker.faults.restart_replica("q", 1)
    run.broker.run(idle=True)
    run.broker.faults.kill_replica("q", 0)
    assert run.broker.queues["q"].replica == 1, "it has everything, though not on its disk"
    run.broker.faults.restart_replica("q", 0)
    run.broker.run(idle=True)
    end_within_a_commit(run, transactions)
    run = Run(tmp_path)
    assert run.bodies() == [[b"a"]] * REPLICAS
    run.end()


@pytest.mark.parametrize("transactions", range(REPLICAS + 2))
def test_nor_is_it_lost_when_the_lead_comes_back_to_the_first(
    tmp_path: Path, transactions: int
) -> None:
    run = confirmed(tmp_path)
    run.broker.faults.kill_replica("q", 0)
    run.broker.faults.kill_replica("q", 2)
    run.commit()
    run.broker.faults.restart_replica("q", 0)
    run.broker.run(idle=True)
    run.broker.faults.kill_replica("q", 1)
    run.broker.faults.restart_replica("q", 1)
    run.broker.run(idle=True)
    end_within_a_commit(run, transactions)
    run = Run(tmp_path)
    assert run.bodies() == [[b"a"]] * REPLICAS
    run.end()
