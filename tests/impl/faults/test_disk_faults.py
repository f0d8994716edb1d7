"""Commits that do not return, and a disk that refuses them, because they were asked to."""

from __future__ import annotations

import logging
import time

import pytest
from ackproof.impl.running import RunningBroker
from ackproof.impl.storage import batch_commit

from tests.impl.clients import content, encode
from tests.impl.faults.faulty_clients import confirming, passed, with_queue
from tests.impl.sockets import eventually, publisher


def test_held_commits_are_told_together_by_one_ack() -> None:
    wire = confirming()
    wire.broker.faults.hold_fsync()
    for _ in range(3):
        assert wire.publish(1, "q") == []
    assert wire.commit() == []
    assert wire.publish(1, "none") == ["1 ack 4"]
    wire.broker.faults.release_fsync()
    assert wire.commit() == ["1 ack 3*"]
    passed(wire)


def test_a_commit_that_was_under_way_does_not_return_while_it_is_held() -> None:
    wire = confirming()
    wire.publish(1, "q")
    batch = wire.broker.journal.take()
    wire.broker.faults.hold_fsync()
    wire.broker.committed(batch)
    assert wire.hear() == []
    wire.broker.faults.release_fsync()
    assert wire.hear() == ["1 ack 1"]
    passed(wire)


@pytest.mark.parametrize("seed", [None, 4])
def test_a_disk_that_fails_when_asked_is_asked_again(
    seed: int | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 0.01)
    with caplog.at_level(logging.ERROR), RunningBroker(seed=seed) as broker:
        client = with_queue(broker)
        broker.fail_writes(2)
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        client.close()
        broker.check()
    said = "commit failed, trying again in 0.01 s: disk I/O error (a fault that was asked for)"
    assert [record.message for record in caplog.records] == [said] * 2


def test_only_commits_fail_that_have_what_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 0.01)
    with RunningBroker() as broker:
        client = with_queue(broker)
        broker.fail_writes(2, header={"kind": "big"})
        client.send(encode(1, *content("q")))
        assert client.line() == "1 ack 1"
        assert not [entry for entry in broker.history if entry.kind == "fault"]
        client.send(encode(1, *content("q", headers={"kind": "big"})))
        assert client.line() == "1 ack 2"
        client.close()
        assert len([entry for entry in broker.history if entry.kind == "fault"]) == 2
        broker.check()


def test_commits_fail_with_a_probability_until_the_faults_are_cleared() -> None:
    wire = confirming()
    faults = wire.broker.faults
    faults.fail_writes(None, probability=0.5, seed=1, skip=2)
    wire.publish(1, "q")
    batch = wire.broker.journal.take()
    failed = [faults.write_fails(batch) for _ in range(20)]
    assert not any(failed[:2])
    assert 3 < sum(failed) < 16
    faults.clear()
    assert not any(faults.write_fails(batch) for _ in range(20))


def test_failing_no_times_is_refused() -> None:
    with pytest.raises(ValueError, match="n is 0; it must be 1 or more"):
        confirming().broker.faults.fail_writes(0)


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("replicas", [1, 3])
@pytest.mark.parametrize("until", [0.0, 0.15])
def test_who_was_blocked_by_a_failed_commit_is_unblocked_though_commits_were_held_meanwhile(
    seed: int | None, replicas: int, until: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_commit, "RETRY", 0.1)
    with RunningBroker(seed=seed, replicas=replicas) as broker:
        client = publisher(broker)
        broker.fail_writes(1)
        client.send(encode(1, *content("q")))
        eventually(lambda: any(entry.kind == "fault" for entry in broker.history))
        broker.hold_fsync()
        client.send(encode(1, *content("q")))
        assert client.line() == "0 Connection.Blocked"
        time.sleep(until)  # the disk is asked again before the commits are released, or after
        broker.release_fsync()
        said = {client.line(), client.line(), client.line()}
        assert said == {"0 Connection.Unblocked", "1 ack 1", "1 ack 2"}
        client.close()
        broker.check()
