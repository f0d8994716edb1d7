"""Mirrored queues, on plain objects: what a publisher and the mirrors see of each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.sorts import Level

from tests.spec.scenario import (
    Scenario,
    ack,
    message,
    messages,
    mirrored,
    nack,
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


# -- two copies -----------------------------------------------------------------------------------


def test_a_message_is_cast_to_the_master_and_to_each_mirror(three: Scenario) -> None:
    three.publish(1, "q1")
    assert three.system.channel.unconfirmed[ONE] == replicas("r1", "r2", "r3")
    assert all(three.system.casts.next_for(r) == ONE for r in (R1, R2, R3))


def test_an_ack_waits_for_the_masters_disk_and_the_mirrors(run: Scenario) -> None:
    run.publish(1, "q1")
    run.stored(1, "r1")
    with pytest.raises(NotEnabled):
        run.system.flush()
    run.deliver(1, "r2")
    run.told_by_master(1, "r2")
    with pytest.raises(NotEnabled):
        run.system.flush()
    run.synced(1, "r2")
    assert run.told() == [ack(1)]
    assert run.level(1, "r1") == run.level(1, "r2") == Level.SYNCED


@pytest.mark.parametrize("master_first", [True, False])
def test_a_mirror_confirms_whichever_copy_comes_first(run: Scenario, master_first: bool) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    if master_first:
        run.told_by_master(1, "r2")
        run.deliver(1, "r2")
    else:
        run.deliver(1, "r2")
        run.told_by_master(1, "r2")
    run.synced(1, "r2")
    run.synced(1, "r1")
    assert run.told() == [ack(1)]


def test_a_mirror_hears_of_a_message_only_when_its_master_has_it(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r2")
    with pytest.raises(NotEnabled):
        run.told_by_master(1, "r2")


def test_a_mirror_drops_what_its_master_says_is_consumed(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1", "r2")
    run.told_by_master(1, "r2")
    run.system.take(ONE, R1)
    run.system.acknowledge(ONE, R1)
    assert not run.system.holders[ONE]
    run.system.master_removes(ONE, R2)
    assert not run.process("r2").ready
    run.system.drain(R2)
    run.system.confirm_arrives(R2)
    run.system.drain(R1)
    run.system.confirm_arrives(R1)
    assert run.told() == [ack(1)]


def test_a_removal_does_not_overtake_the_message(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    run.system.drop(ONE, R1)
    with pytest.raises(NotEnabled):
        run.system.master_removes(ONE, R2)


def test_there_is_nothing_to_remove_until_the_master_says_so(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    run.told_by_master(1, "r2")
    with pytest.raises(NotEnabled):
        run.system.master_removes(ONE, R2)


def test_direct_copies_arrive_in_the_order_of_publishing(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q1")
    with pytest.raises(NotEnabled):
        run.system.deliver_to_mirror(message(2), R2)


def test_a_master_takes_no_message_for_a_mirrors_copy(run: Scenario) -> None:
    run.publish(1, "q1")
    with pytest.raises(NotEnabled):
        run.system.deliver_to_mirror(ONE, R1)
    with pytest.raises(NotEnabled):
        run.system.deliver(ONE, R2)


def test_what_the_master_gives_away_its_mirror_confirms(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.pass_by(ONE, R1)
    run.deliver(1, "r2")
    run.told_by_master(1, "r2")
    run.system.confirm_arrives(R1)
    run.system.confirm_arrives(R2)
    assert run.told() == [ack(1)]
    assert not run.process("r2").ready


def test_a_closed_channel_is_forgotten_when_both_sides_have_said_so(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r2")
    run.system.close()
    run.system.forget_sender(R2)
    assert not run.process("r2").direct


def test_a_channel_that_still_has_something_under_way_is_not_forgotten(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q1")
    run.deliver(1, "r2")
    run.system.close()
    with pytest.raises(NotEnabled):
        run.system.forget_sender(R2)


def test_an_open_channel_is_not_forgotten(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r2")
    with pytest.raises(NotEnabled):
        run.system.forget_sender(R2)


def test_a_mirror_that_remembers_nothing_has_nothing_to_forget(run: Scenario) -> None:
    run.system.close()
    with pytest.raises(NotEnabled):
        run.system.forget_sender(R2)


# -- what the channel makes of deaths -------------------------------------------------------------


def test_the_loss_of_a_mirrors_node_leaves_the_master_to_decide(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.lose_node(R2)
    run.system.down_arrives(R2)
    run.stored(1, "r1")
    assert run.told() == [ack(1)]


def test_a_mirror_that_confirmed_outweighs_a_master_whose_node_is_lost(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1", "r2")
    run.told_by_master(1, "r2")
    run.synced(1, "r2")
    run.system.lose_node(R1)
    run.system.down_arrives(R1)
    assert run.told() == [ack(1)]


def test_a_mirrors_crash_nacks_what_the_master_has(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.crash_queue(R2)
    run.system.down_arrives(R2)
    run.stored(1, "r1")
    assert run.told() == [nack(1, True)]
    assert run.process("r1").ready == messages(1)


def test_a_mirror_that_is_down_is_not_asked_when_it_was_taken_out_of_the_record(
    run: Scenario,
) -> None:
    run.system.lose_node(R2)
    run.system.trim(R2)
    run.publish(1, "q1")
    assert run.system.channel.unconfirmed[ONE] == replicas("r1")


def test_until_then_it_is_asked_and_the_channel_hears_that_it_is_gone(run: Scenario) -> None:
    run.system.lose_node(R2)
    run.system.down_arrives(R2)
    run.publish(1, "q1")
    assert run.system.channel.unconfirmed[ONE] == replicas("r1", "r2")
    run.system.down_arrives(R2)
    run.stored(1, "r1")
    assert run.told() == [ack(1)]


def test_nobody_takes_a_dead_master_out_before_there_is_another(run: Scenario) -> None:
    run.system.lose_node(R1)
    with pytest.raises(NotEnabled):
        run.system.trim(R1)
    run.system.promote(R2)
    run.system.trim(R1)
    assert run.system.addressed({Q1}) == replicas("r2")


def test_only_the_dead_are_taken_out_and_once(run: Scenario) -> None:
    with pytest.raises(NotEnabled):
        run.system.trim(R2)
    run.system.lose_node(R2)
    run.system.trim(R2)
    with pytest.raises(NotEnabled):
        run.system.trim(R2)


def test_the_deletion_of_a_mirrored_queue_acks(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.delete_queue(Q1)
    run.system.down_arrives(R2)
    run.system.down_arrives(R1)
    assert run.told() == [ack(1)]
