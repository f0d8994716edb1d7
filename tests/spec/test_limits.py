"""Queues with a length limit: what is dropped, what is refused, and what publishers hear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Born, Overflow

from tests.spec.scenario import (
    Scenario,
    ack,
    message,
    messages,
    mirrored,
    nack,
    replica,
    running,
)

R1, R2 = replica("r1"), replica("r2")
REJECTING: dict[str, Any] = {"limited": True, "max_length": 1, "overflow": Overflow.REJECT_PUBLISH}
DROPPING: dict[str, Any] = {"limited": True, "max_length": 1, "overflow": Overflow.DROP_HEAD}


@pytest.fixture
def rejecting() -> Iterator[Scenario]:
    with running(queues=("q1",), **REJECTING) as scenario:
        yield scenario


@pytest.fixture
def dropping() -> Iterator[Scenario]:
    with running(queues=("q1",), **DROPPING) as scenario:
        yield scenario


@pytest.fixture
def pair() -> Iterator[Scenario]:
    """A master that refuses, and its mirror."""
    with mirrored((Born.MASTER, Born.MIRROR), **REJECTING) as scenario:
        yield scenario


def test_a_queue_without_a_limit_neither_refuses_nor_drops() -> None:
    queue = QueueMaster(max_length=0)
    queue.accept(message(1), True, True)
    assert not queue.refuses()
    assert not queue.overflows()


@pytest.mark.parametrize(
    ("overflow", "full"), [(Overflow.REJECT_PUBLISH, True), (Overflow.DROP_HEAD, False)]
)
def test_only_a_queue_that_is_to_reject_refuses(overflow: Overflow, full: bool) -> None:
    queue = QueueMaster(limited=True, max_length=1, overflow=overflow)
    assert not queue.refuses()
    queue.accept(message(1), True, True)
    assert queue.refuses() is full
    assert not queue.overflows()


def test_what_a_consumer_holds_does_not_count(rejecting: Scenario) -> None:
    rejecting.publish(1, "q1")
    rejecting.deliver(1, "r1")
    rejecting.system.take(message(1), R1)
    rejecting.publish(2, "q1")
    rejecting.deliver(2, "r1")
    assert rejecting.process("r1").ready == messages(2)


def test_a_full_queue_refuses_the_next_message_and_its_publisher_gets_a_nack(
    rejecting: Scenario,
) -> None:
    rejecting.publish(1, "q1")
    rejecting.publish(2, "q1")
    rejecting.deliver(1, "r1")
    rejecting.deliver(2, "r1")
    rejecting.system.reject_arrives(R1)
    assert rejecting.told() == [nack(2)]
    assert rejecting.process("r1").ready == messages(1)
    rejecting.synced(1, "r1")
    assert rejecting.told() == [ack(1)]


def test_a_full_queue_refuses_even_if_a_consumer_waits(rejecting: Scenario) -> None:
    rejecting.publish(1, "q1")
    rejecting.deliver(1, "r1")
    rejecting.publish(2, "q1")
    with pytest.raises(NotEnabled):
        rejecting.system.pass_by(message(2), R1)


def test_one_flush_tells_what_was_taken_and_what_was_refused_apart(rejecting: Scenario) -> None:
    rejecting.publish(1, "q1", persistent=False)
    rejecting.publish(2, "q1", persistent=False)
    rejecting.deliver(1, "r1")
    rejecting.deliver(2, "r1")
    rejecting.system.reject_arrives(R1)
    rejecting.system.confirm_arrives(R1)
    assert rejecting.told() == [ack(1), nack(2)]


def test_a_message_that_is_put_back_may_exceed_the_limit(rejecting: Scenario) -> None:
    rejecting.publish(1, "q1")
    rejecting.deliver(1, "r1")
    rejecting.system.take(message(1), R1)
    rejecting.publish(2, "q1")
    rejecting.deliver(2, "r1")
    rejecting.system.requeue(message(1), R1)
    assert rejecting.process("r1").ready == messages(1, 2)


def test_a_dropping_queue_makes_room_and_both_messages_are_acked(dropping: Scenario) -> None:
    dropping.publish(1, "q1")
    dropping.publish(2, "q1")
    dropping.deliver(1, "r1")
    dropping.deliver(2, "r1")
    assert dropping.process("r1").ready == messages(2)
    dropping.synced(2, "r1")
    assert dropping.told() == [ack(2, True)]


def test_a_message_put_back_into_a_full_dropping_queue_is_the_one_that_goes(
    dropping: Scenario,
) -> None:
    dropping.publish(1, "q1")
    dropping.deliver(1, "r1")
    dropping.system.take(message(1), R1)
    dropping.publish(2, "q1")
    dropping.deliver(2, "r1")
    dropping.system.requeue(message(1), R1)
    assert dropping.process("r1").ready == messages(2)


def started_again_over_its_limit(run: Scenario) -> None:
    """Two messages are acked, one of them with a consumer; then the queue crashes, and starts."""
    for number in (1, 2):
        run.publish(number, "q1")
        run.deliver(number, "r1")
        if number == 1:
            run.system.take(message(1), R1)
    run.synced(1, "r1")
    run.synced(2, "r1")
    assert run.told()
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    run.system.restart(R1)


def test_a_rejecting_queue_that_starts_again_has_all_that_it_had(rejecting: Scenario) -> None:
    started_again_over_its_limit(rejecting)
    assert rejecting.process("r1").ready == messages(1, 2)


def test_a_dropping_queue_that_starts_again_is_within_its_limit(dropping: Scenario) -> None:
    started_again_over_its_limit(dropping)
    assert dropping.process("r1").ready == messages(2)


def test_a_dead_queue_refuses_nothing() -> None:
    queue = QueueMaster(**REJECTING)
    queue.crash()
    with pytest.raises(NotEnabled):
        queue.refuse(message(1), True)


# -- with a mirror (B5.6, D6.3, D6.4) -------------------------------------------------------------


def filled(pair: Scenario) -> None:
    """The first message fills the queue, everywhere; the second is on its way."""
    pair.publish(1, "q1")
    pair.deliver(1, "r1", "r2")
    pair.told_by_master(1, "r2")
    pair.publish(2, "q1")


def test_a_refusal_is_told_to_the_mirrors(pair: Scenario) -> None:
    filled(pair)
    pair.deliver(2, "r1", "r2")
    pair.told_by_master(2, "r2")
    assert pair.process("r2").refused == messages(2)
    assert pair.process("r2").ready == messages(1)


def test_a_refused_message_is_nacked_though_the_master_is_lost_with_its_word(
    pair: Scenario,
) -> None:
    filled(pair)
    pair.deliver(2, "r1", "r2")
    pair.told_by_master(2, "r2")
    pair.system.lose_node(R1)
    pair.system.down_arrives(R1)
    pair.system.reject_arrives(R2)
    assert pair.told() == [nack(2)]


def test_a_promoted_master_recognises_a_message_before_it_looks_at_its_limit(
    pair: Scenario,
) -> None:
    pair.publish(1, "q1")
    pair.deliver(1, "r1")
    pair.told_by_master(1, "r2")
    pair.system.lose_node(R1)
    pair.system.down_arrives(R1)
    pair.system.promote(R2)
    assert pair.process("r2").refuses()
    pair.stored(1, "r2")
    assert pair.told() == [ack(1)]
    assert pair.process("r2").ready == messages(1)
