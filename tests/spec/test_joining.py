"""Mirrors that join late and catch up, on plain objects (D7)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.sorts import Born, Level

from tests.spec.scenario import (
    Scenario,
    message,
    messages,
    mirrored,
    queue_named,
    replica,
    replicas,
)

Q1 = queue_named("q1")
R1, R2, R3 = replica("r1"), replica("r2"), replica("r3")
ONE = message(1)


@pytest.fixture
def run() -> Iterator[Scenario]:
    with mirrored() as scenario:
        yield scenario


# -- joining and catching up ----------------------------------------------------------------------


def test_a_new_mirror_hears_the_master_before_channels_know_it(late: Scenario) -> None:
    late.system.join(R2, R1)
    late.publish(1, "q1")
    assert late.system.channel.unconfirmed[ONE] == replicas("r1")
    late.deliver(1, "r1")
    late.told_by_master(1, "r2")
    assert late.process("r2").ready == messages(1)
    late.system.enlist(R2)
    late.publish(2, "q1")
    assert late.system.channel.unconfirmed[message(2)] == replicas("r1", "r2")


def test_a_mirror_that_joins_an_empty_queue_is_synchronised(late: Scenario) -> None:
    late.system.join(R2, R1)
    assert not late.system.unsynced


def test_a_mirror_that_joins_a_queue_with_messages_is_not(late: Scenario) -> None:
    late.publish(1, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    assert late.system.unsynced == replicas("r2")
    with pytest.raises(NotEnabled):
        late.system.catch_up(R2, R1)


def test_a_synchronisation_gives_a_mirror_what_its_master_has(late: Scenario) -> None:
    late.publish(1, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.system.synchronise(R2, R1)
    assert late.process("r2").ready == messages(1)
    assert late.level(1, "r2") == Level.BUFFERED
    assert not late.system.unsynced
    assert late.system.backed[ONE] == replicas("r2")


def test_a_synchronisation_takes_away_what_the_master_has_not(late: Scenario) -> None:
    late.publish(1, "q1")
    late.publish(2, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.deliver(2, "r1")
    late.told_by_master(2, "r2")
    late.process("r1").ready.discard(message(2))
    late.system.synchronise(R2, R1)
    assert late.process("r2").ready == messages(1)


def test_what_has_left_a_mirror_before_a_synchronisation_does_not_come_back() -> None:
    with mirrored((Born.MASTER, Born.LATER)) as run:
        run.process("r2").store.lazy = True
        run.publish(1, "q1")
        run.deliver(1, "r1")
        run.system.join(R2, R1)
        run.publish(2, "q1")
        run.deliver(2, "r1")
        run.told_by_master(2, "r2")
        run.system.sync(message(2), R2)
        run.process("r1").ready.discard(message(2))
        run.process("r2").remove(message(2))
        assert run.level(2, "r2") == Level.SYNCED
        run.system.synchronise(R2, R1)
        assert run.level(2, "r2") == Level.ABSENT


def test_a_mirror_that_still_hears_its_master_is_not_given_anything(late: Scenario) -> None:
    late.publish(1, "q1")
    late.publish(2, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.deliver(2, "r1")
    with pytest.raises(NotEnabled):
        late.system.synchronise(R2, R1)


def test_a_synchronised_mirror_is_not_synchronised_again(run: Scenario) -> None:
    with pytest.raises(NotEnabled):
        run.system.synchronise(R2, R1)
    with pytest.raises(NotEnabled):
        run.system.catch_up(R2, R1)


def test_what_a_mirror_was_given_counts_as_got_by_it() -> None:
    with mirrored((Born.MASTER, Born.MIRROR, Born.LATER)) as run:
        run.told_of(1)
        run.system.join(R3, R1)
        run.system.synchronise(R3, R1)
        run.system.lose_node(R1)
        run.told_by_master(1, "r2")
        assert run.process("r2").ready == run.process("r3").ready == messages(1)


def test_nobody_joins_a_master_that_is_gone_or_no_master(late: Scenario) -> None:
    with pytest.raises(NotEnabled):
        late.system.join(R2, R2)
    late.system.lose_node(R1)
    with pytest.raises(NotEnabled):
        late.system.join(R2, R1)


def test_a_queue_is_joined_by_its_own_processes_only(late: Scenario) -> None:
    late.process("r2").of = queue_named("q2")
    with pytest.raises(NotEnabled):
        late.system.join(R2, R1)


def test_a_process_that_has_not_joined_is_not_enlisted(late: Scenario) -> None:
    with pytest.raises(NotEnabled):
        late.system.enlist(R2)


def test_a_mirror_without_a_master_neither_catches_up_nor_is_given_anything(
    late: Scenario,
) -> None:
    late.publish(1, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.system.crash_queue(R1)
    with pytest.raises(NotEnabled):
        late.system.catch_up(R2, R1)
    with pytest.raises(NotEnabled):
        late.system.synchronise(R2, R1)


def test_a_mirror_is_synchronised_when_the_old_messages_are_consumed(late: Scenario) -> None:
    late.publish(1, "q1")
    late.deliver(1, "r1")
    late.system.join(R2, R1)
    late.system.drop(ONE, R1)
    late.system.catch_up(R2, R1)
    assert not late.system.unsynced
    assert not late.process("r2").ready


def test_mirrors_join_and_enlist_in_the_order_of_their_age() -> None:
    with mirrored((Born.MASTER, Born.LATER, Born.LATER)) as run:
        with pytest.raises(NotEnabled):
            run.system.join(R3, R1)
        run.system.join(R2, R1)
        run.system.join(R3, R1)
        with pytest.raises(NotEnabled):
            run.system.enlist(R3)
        run.system.enlist(R2)
        run.system.enlist(R3)
        assert run.system.addressed({Q1}) == replicas("r1", "r2", "r3")
