"""The network, alone: order, loss, and the news of deaths."""

from __future__ import annotations

import pytest
from ackproof.spec.network import Network
from ackproof.spec.sorts import Reason

from tests.spec.scenario import message, queue_named

Q1, Q2 = queue_named("q1"), queue_named("q2")


@pytest.fixture
def network() -> Network:
    made = Network()
    for number in (1, 2):
        made.cast(message(number), Q1)
    return made


def test_messages_to_one_queue_keep_their_order(network: Network) -> None:
    assert network.next_for(Q1) == message(1)
    network.receive(message(1), Q1)
    assert network.next_for(Q1) == message(2)
    network.receive(message(2), Q1)
    assert network.next_for(Q1) is None


def test_messages_to_several_queues_do_not_wait_for_each_other(network: Network) -> None:
    network.cast(message(3), Q2)
    assert network.next_for(Q2) == message(3)


def test_what_was_on_its_way_to_a_dead_queue_is_lost(network: Network) -> None:
    network.end(Q1, Reason.ABNORMAL)
    assert network.next_for(Q1) is None
    assert network.downs[Q1] == Reason.ABNORMAL


def test_casting_to_a_dead_queue_brings_a_benign_down(network: Network) -> None:
    network.refuse(Q2)
    assert network.downs[Q2] == Reason.BENIGN


def test_the_first_reason_stands_until_it_is_heard(network: Network) -> None:
    network.end(Q1, Reason.ABNORMAL)
    network.refuse(Q1)
    assert network.downs[Q1] == Reason.ABNORMAL
    network.heard(Q1)
    assert network.downs[Q1] is None


def test_nothing_is_left_of_a_network_that_vanished(network: Network) -> None:
    network.end(Q2, Reason.NORMAL)
    network.vanish()
    assert not network.publishes
    assert not network.downs
