"""Retries, on plain objects: what is published again, and what the program is done with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import NotEnabled

from tests.spec.scenario import Scenario, message, messages, nack, queue_named, replica, running

R1 = replica("r1")


@pytest.fixture
def run() -> Iterator[Scenario]:
    """A program that publishes to one queue, which has just nacked its first message."""
    with running(msgs=3, retrying=True) as scenario:
        scenario.publish(1, "q1")
        scenario.system.crash_queue(R1)
        scenario.system.down_arrives(R1)
        assert scenario.told() == [nack(1, True)]
        scenario.system.restart(R1)
        yield scenario


def test_what_was_nacked_is_due(run: Scenario) -> None:
    assert run.system.retrier.due == messages(1)


def test_a_copy_goes_where_the_message_was_to_go(run: Scenario) -> None:
    run.system.publish_again(message(2), message(1))
    run.stored(2, "r1")
    assert run.process("r1").ready == messages(2)


def test_a_program_is_done_when_a_copy_is_acked(run: Scenario) -> None:
    run.system.publish_again(message(2), message(1))
    assert run.system.retrier.pending == messages(2)
    run.stored(2, "r1")
    run.told()
    assert not run.system.retrier.pending | run.system.retrier.due


def test_what_is_not_due_is_not_published_again(run: Scenario) -> None:
    run.publish(2, "q1")
    with pytest.raises(NotEnabled):
        run.system.publish_again(message(3), message(2))


def test_a_copy_of_a_copy_is_one_of_the_first(run: Scenario) -> None:
    run.system.publish_again(message(2), message(1))
    run.system.crash_queue(R1)
    run.system.down_arrives(R1)
    run.told()
    run.system.restart(R1)
    run.system.publish_again(message(3), message(2))
    assert run.system.retrier.original[message(3)] == 1


def test_what_a_channel_leaves_unknown_is_due(run: Scenario) -> None:
    run.publish(2, "q1")
    run.system.close()
    assert run.system.retrier.due == messages(1, 2)


def test_nothing_is_published_again_to_a_queue_that_is_gone(run: Scenario) -> None:
    run.system.delete_queue(queue_named("q1"))
    run.system.publish_again(message(2), message(1))
    run.told()
    assert not run.system.retrier.pending
