"""The publisher, alone: what it concludes from what it is told."""

from __future__ import annotations

import pytest
from ackproof.spec.publisher import Publisher

from tests.spec.scenario import message, messages


@pytest.fixture
def publisher() -> Publisher:
    made = Publisher(ghosts=True)
    for _ in range(4):
        made.publish()
    return made


def test_it_counts_its_own_publishes_from_one(publisher: Publisher) -> None:
    assert publisher.sent == messages(1, 2, 3, 4)
    assert publisher.next_tag == message(5)


def test_a_single_frame_settles_one_number(publisher: Publisher) -> None:
    publisher.sees_ack(message(3), False)
    publisher.sees_nack(message(2), False)
    assert publisher.confirmed == messages(3)
    assert publisher.nacked == messages(2)
    assert publisher.unknown() == messages(1, 4)


def test_a_multiple_frame_settles_every_older_number_that_is_unknown(publisher: Publisher) -> None:
    publisher.sees_nack(message(1), False)
    publisher.sees_ack(message(3), True)
    assert publisher.confirmed == messages(2, 3)
    assert publisher.nacked == messages(1)


def test_a_number_that_is_named_twice_is_believed_twice(publisher: Publisher) -> None:
    publisher.sees_ack(message(3), True)
    publisher.sees_nack(message(1), True)
    assert publisher.confirmed & publisher.nacked == messages(1)


def test_a_returned_message_is_still_unknown(publisher: Publisher) -> None:
    publisher.sees_return(message(2))
    assert publisher.returned == messages(2)
    assert message(2) in publisher.unknown()
    assert not publisher.returned_late


def test_a_return_after_the_ack_is_noticed(publisher: Publisher) -> None:
    publisher.sees_ack(message(2), True)
    publisher.sees_return(message(1))
    assert publisher.returned_late == messages(1)
