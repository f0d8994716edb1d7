"""The whole, on plain objects: what a publisher sees when things go well, and when they do not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.spec.lang import NotEnabled
from ackproof.spec.sorts import Level, Reason, Status

from tests.spec.scenario import (
    Scenario,
    ack,
    message,
    messages,
    nack,
    queue_named,
    replica,
    returned,
    running,
)

Q1 = queue_named("q1")
R1, R2 = replica("r1"), replica("r2")


@pytest.fixture
def run() -> Iterator[Scenario]:
    with running(msgs=4) as scenario:
        yield scenario


def test_a_message_is_acked_when_each_queue_has_it_on_disk(run: Scenario) -> None:
    run.publish(1, "q1", "q2")
    run.stored(1, "r1")
    with pytest.raises(NotEnabled):
        run.system.flush()
    run.stored(1, "r2")
    assert run.told() == [ack(1)]
    assert run.level(1, "r1") == run.level(1, "r2") == Level.SYNCED


def test_an_unroutable_message_is_acked(run: Scenario) -> None:
    run.publish(1)
    assert run.told() == [ack(1)]


def test_a_mandatory_unroutable_message_is_returned_then_acked(run: Scenario) -> None:
    run.publish(1, mandatory=True)
    run.system.flush()
    assert run.frames == [returned(1), ack(1)]


def test_a_mandatory_publish_before_confirm_mode_takes_no_number() -> None:
    with running() as run:
        run.system.channel.confirming = False
        run.system.publish_unroutable(True)
        run.system.select()
        run.publish(1)
        assert run.told() == [ack(1)]
        assert run.frames[0] == returned(None)


def test_a_deleted_queue_acks_what_was_on_its_way(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q1")
    run.deliver(1, "r1")
    run.system.delete_queue(Q1)
    run.system.down_arrives(R1)
    assert run.told() == [ack(2, True)]


def test_a_crashed_queue_nacks_what_was_on_its_way(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q1")
    run.deliver(1, "r1")
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    assert run.told() == [nack(2, True)]


def test_a_vanished_node_nacks_although_nothing_crashed(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.lose_node(R1)
    assert run.system.network.downs[R1] == Reason.BENIGN
    run.system.down_arrives(R1)
    assert run.told() == [nack(1, True)]


def test_one_dead_queue_nacks_for_the_live_one_too(run: Scenario) -> None:
    run.publish(1, "q1", "q2")
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    run.stored(1, "r2")
    assert run.told() == [nack(1, True)]
    assert run.process("r2").ready == messages(1)


def test_a_publish_to_a_queue_that_is_down_is_nacked(run: Scenario) -> None:
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    run.publish(1, "q1")
    run.system.down_arrives(R1)
    assert run.told() == [nack(1, True)]


def test_a_deleted_queue_is_not_routed_to(run: Scenario) -> None:
    run.system.delete_queue(Q1)
    with pytest.raises(NotEnabled):
        run.publish(1, "q1")
    run.publish(1)
    assert run.told() == [ack(1)]


def test_a_restarted_queue_accepts_again(run: Scenario) -> None:
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    run.system.restart(R1)
    run.publish(1, "q1")
    run.stored(1, "r1")
    assert run.told() == [ack(1)]


def test_a_queue_restarts_after_its_death_was_heard_of(run: Scenario) -> None:
    run.system.crash_queue(R1)
    with pytest.raises(NotEnabled):
        run.system.restart(R1)


def test_a_nacked_message_may_be_in_the_queue_all_the_same(run: Scenario) -> None:
    run.publish(1, "q1")
    run.deliver(1, "r1")
    run.system.write(message(1), R1)
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    assert run.told() == [nack(1, True)]
    run.system.restart(R1)
    assert run.process("r1").ready == messages(1)


def test_what_a_queue_had_sent_arrives_before_the_news_of_its_death(run: Scenario) -> None:
    run.publish(1, "q1", persistent=False)
    run.deliver(1, "r1")
    run.system.crash_queue(R1)
    with pytest.raises(NotEnabled):
        run.system.down_arrives(R1)
    run.system.confirm_arrives(R1)
    run.system.down_arrives(R1)
    assert run.told() == [ack(1)]


def test_the_news_of_a_death_may_overtake_what_others_had_sent(run: Scenario) -> None:
    run.publish(1, "q1", "q2", persistent=False)
    run.deliver(1, "r2")
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    run.system.confirm_arrives(R2)
    assert run.told() == [nack(1, True)]


def test_what_a_queue_had_sent_is_lost_with_its_node(run: Scenario) -> None:
    run.publish(1, "q1", persistent=False)
    run.deliver(1, "r1")
    run.system.lose_node(R1)
    run.system.down_arrives(R1)
    assert run.told() == [nack(1, True)]


def test_a_transient_message_overtakes_a_persistent_one(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q1", persistent=False)
    run.deliver(1, "r1")
    run.deliver(2, "r1")
    run.system.confirm_arrives(R1)
    assert run.told() == [ack(2)]


def test_a_queue_gets_messages_in_the_order_of_publishing(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q1")
    with pytest.raises(NotEnabled):
        run.deliver(2, "r1")


def test_a_message_consumed_everywhere_is_acked_without_a_disk(run: Scenario) -> None:
    run.publish(1, "q1", "q2")
    run.deliver(1, "r1")
    run.system.take(message(1), R1)
    run.system.acknowledge(message(1), R1)
    run.system.drain(R1)
    run.system.confirm_arrives(R1)
    run.system.pass_by(message(1), R2)
    run.system.confirm_arrives(R2)
    assert run.told() == [ack(1)]
    assert run.level(1, "r1") == run.level(1, "r2") == Level.ABSENT


def test_after_a_close_the_publisher_does_not_know_what_was_stored(run: Scenario) -> None:
    run.publish(1, "q1")
    run.publish(2, "q2")
    run.system.close()
    run.stored(1, "r1")
    assert run.system.publisher.unknown() == messages(1, 2)
    with pytest.raises(NotEnabled):
        run.system.flush()


@pytest.mark.parametrize("power", [False, True])
def test_an_acked_message_survives_and_a_written_one_survives_the_node_only(
    run: Scenario, power: bool
) -> None:
    run.publish(1, "q1")
    run.stored(1, "r1")
    run.publish(2, "q1")
    run.deliver(2, "r1")
    run.system.write(message(2), R1)
    run.publish(3, "q1")
    run.deliver(3, "r1")
    run.system.flush()
    if power:
        run.system.crash_machine()
    else:
        run.system.crash_node()
    run.system.restart(R1)
    assert run.process("r1").ready == (messages(1) if power else messages(1, 2))
    assert run.system.publisher.unknown() == messages(2, 3)
    assert not run.system.channel.open


def test_a_deleted_queue_stays_deleted_whatever_happens(run: Scenario) -> None:
    run.system.delete_queue(Q1)
    run.system.crash_machine()
    with pytest.raises(NotEnabled):
        run.system.restart(R1)
    assert run.process("r1").status == Status.DELETED
