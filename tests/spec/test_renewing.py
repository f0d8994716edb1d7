"""Queues that are declared again, on plain objects: what is said to the one is not of the other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.designs import e01_ends_by_name

from tests.spec.scenario import (
    Scenario,
    ack,
    nack,
    queue_named,
    renewing,
    replica,
)

R1, R2 = replica("r1"), replica("r2")
Q1, Q2 = queue_named("q1"), queue_named("q2")


@pytest.fixture
def run() -> Iterator[Scenario]:
    """A queue, and one that takes over its name and refuses everything."""
    with renewing() as scenario:
        yield scenario


def test_a_queue_whose_name_is_taken_is_not_there(run: Scenario) -> None:
    assert not run.process("r2").leads()
    with pytest.raises(NotEnabled):
        run.publish(1, "q2")
    with pytest.raises(NotEnabled):
        run.system.declare(Q2)


def test_it_cannot_crash_or_be_deleted_before(run: Scenario) -> None:
    with pytest.raises(NotEnabled):
        run.system.crash_queue(R2)
    with pytest.raises(NotEnabled):
        run.system.delete_queue(Q2)


def test_it_is_declared_once_the_other_is_deleted(run: Scenario) -> None:
    run.system.delete_queue(Q1)
    run.system.declare(Q2)
    assert run.process("r2").leads()
    with pytest.raises(NotEnabled):
        run.system.declare(Q2)


def test_nobody_declares_a_queue_that_was_there_from_the_start(run: Scenario) -> None:
    run.system.delete_queue(Q1)
    with pytest.raises(NotEnabled):
        run.system.declare(Q1)


def test_the_end_of_the_first_acks_what_waited_for_that_alone(run: Scenario) -> None:
    run.publish(1, "q1")
    run.system.delete_queue(Q1)
    run.system.declare(Q2)
    run.publish(2, "q2")
    run.system.down_arrives(R1)
    assert run.told() == [ack(1)]
    run.deliver(2, "r2")
    run.system.reject_arrives(R2)
    assert run.told() == [nack(2, True)]


def test_told_by_name_it_acks_what_the_second_will_refuse() -> None:
    with renewing(design=e01_ends_by_name.design) as run:
        run.publish(1, "q1")
        run.system.delete_queue(Q1)
        run.system.declare(Q2)
        run.publish(2, "q2")
        run.system.down_arrives(R1)
        assert run.told() == [ack(2, True)]
        run.deliver(2, "r2")
        run.system.reject_arrives(R2)
        with pytest.raises(NotEnabled):
            run.system.flush()


def test_nothing_that_was_sent_to_the_first_gets_into_the_second() -> None:
    with renewing(limited=False) as run:
        run.publish(1, "q1")
        run.system.delete_queue(Q1)
        run.system.declare(Q2)
        with pytest.raises(NotEnabled):
            run.deliver(1, "r2")
        run.publish(2, "q2")
        run.stored(2, "r2")
        assert run.process("r2").ready == run.messages(2)
