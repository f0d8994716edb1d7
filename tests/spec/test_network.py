"""The network, alone: order, loss, and the news of deaths."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.spec.lang import bound
from ackproof.spec.network import Network
from ackproof.spec.sorts import Msg, Reason, Replica

from tests.spec.scenario import message, messages, replica, replicas

R1, R2, R3 = replica("r1"), replica("r2"), replica("r3")


@pytest.fixture
def network() -> Network:
    made = Network()
    for number in (1, 2):
        made.cast(message(number), R1)
    return made


def test_messages_to_one_process_keep_their_order(network: Network) -> None:
    assert network.next_for(R1) == message(1)
    network.receive(message(1), R1)
    assert network.next_for(R1) == message(2)
    network.receive(message(2), R1)
    assert network.next_for(R1) is None


def test_messages_to_several_processes_do_not_wait_for_each_other(network: Network) -> None:
    network.cast(message(3), R2)
    assert network.next_for(R2) == message(3)


def test_what_was_on_its_way_to_a_dead_process_is_lost(network: Network) -> None:
    network.end(R1, Reason.ABNORMAL)
    assert network.next_for(R1) is None
    assert network.downs[R1] == Reason.ABNORMAL


def test_casting_to_a_dead_process_brings_a_benign_down(network: Network) -> None:
    network.refuse(R2)
    assert network.downs[R2] == Reason.BENIGN


def test_the_first_reason_stands_until_it_is_heard(network: Network) -> None:
    network.end(R1, Reason.ABNORMAL)
    network.refuse(R1)
    assert network.downs[R1] == Reason.ABNORMAL
    network.heard(R1)
    assert network.downs[R1] is None


def test_nothing_is_left_of_a_network_that_vanished(network: Network) -> None:
    network.end(R2, Reason.NORMAL)
    network.vanish()
    assert not network.publishes
    assert not network.downs


# -- multicast ------------------------------------------------------------------------------------


@pytest.fixture
def multicast() -> Iterator[Network]:
    """A master has told its mirrors, r2 and r3, of three messages and that the first one left."""
    with bound({Msg: 3, Replica: 3}):
        made = Network()
        for mirror in (R2, R3):
            made.copies[mirror] = messages(1, 3)
            made.discards[mirror] = messages(2)
            made.removals[mirror] = messages(1)
        yield made


def test_a_mirror_hears_of_messages_in_the_order_of_publishing(multicast: Network) -> None:
    heard = []
    while (following := multicast.next_from_master(R2)) is not None:
        heard.append(following)
        multicast.learnt(following, R2)
    assert heard == [message(n) for n in (1, 2, 3)]
    assert not multicast.silent(R2)
    multicast.removed(message(1), R2)
    assert multicast.silent(R2)


def test_mirrors_do_not_wait_for_each_other(multicast: Network) -> None:
    multicast.learnt(message(1), R2)
    assert multicast.coming(R2) == messages(2, 3)
    assert multicast.coming(R3) == messages(1, 2, 3)


def test_what_no_mirror_got_is_lost_with_the_master(multicast: Network) -> None:
    multicast.equalise(replicas("r2", "r3"))
    assert multicast.silent(R2)
    assert multicast.silent(R3)


def test_what_one_mirror_got_is_not_lost_nor_what_was_told_before(multicast: Network) -> None:
    multicast.learnt(message(1), R2)
    multicast.learnt(message(2), R2)
    multicast.equalise(replicas("r2", "r3"))
    assert not multicast.coming(R2)
    assert multicast.coming(R3) == messages(1, 2)


def test_a_removal_that_one_mirror_heard_of_is_not_lost(multicast: Network) -> None:
    multicast.learnt(message(1), R2)
    multicast.removed(message(1), R2)
    multicast.equalise(replicas("r2", "r3"))
    assert multicast.coming(R3) == messages(1)
    assert multicast.removals[R3] == messages(1)


def test_what_is_on_its_way_passes_by_a_mirror_that_joins_and_counts_as_got_by_nobody() -> None:
    with bound({Msg: 3, Replica: 3}):
        network = Network()
        network.copies[R2] = messages(1, 2)
        network.join(R3, replicas("r1", "r2"))
        assert network.missed[R3] == messages(1, 2)
        network.equalise(replicas("r2", "r3"))
        assert network.silent(R2)


def test_the_mailbox_of_a_dead_process_is_lost_with_what_its_master_had_told(
    multicast: Network,
) -> None:
    multicast.refusals[R2] = messages(3)
    multicast.end(R2, Reason.ABNORMAL)
    assert multicast.silent(R2)
    assert not multicast.silent(R3)


def test_nothing_that_was_told_survives_when_everything_goes(multicast: Network) -> None:
    multicast.refusals[R3] = messages(3)
    multicast.vanish()
    assert multicast.silent(R2)
    assert multicast.silent(R3)
    assert not multicast.copies
    assert not multicast.discards
    assert not multicast.refusals
    assert not multicast.removals
