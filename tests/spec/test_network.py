"""The network, alone: order, loss, and the news of deaths."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import bound
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.credit import CreditPair
from ackproof.spec.network import Casts, Multicast
from ackproof.spec.sorts import ChannelId, Msg, Reason, Replica

from tests.spec.built import channel_named
from tests.spec.scenario import message, message_of, messages, replica, replicas

R1, R2, R3 = replica("r1"), replica("r2"), replica("r3")
M1, M2 = (message_of(channel_named(number), 1) for number in (1, 2))


@pytest.fixture
def casts() -> Casts:
    made = Casts()
    made.credit[R1] = CreditPair()
    for number in (1, 2):
        made.cast(message(number), R1)
    return made


def test_messages_to_one_process_keep_their_order(casts: Casts) -> None:
    assert casts.next_for(R1) == message(1)
    casts.receive(message(1), R1)
    assert casts.next_for(R1) == message(2)
    casts.receive(message(2), R1)
    assert casts.next_for(R1) is None


def test_messages_to_several_processes_do_not_wait_for_each_other(casts: Casts) -> None:
    casts.cast(message(3), R2)
    assert casts.next_for(R2) == message(3)


def test_what_was_on_its_way_to_a_dead_process_is_lost(casts: Casts) -> None:
    casts.end(R1, Reason.ABNORMAL)
    assert casts.next_for(R1) is None
    assert casts.downs[R1] == Reason.ABNORMAL


def test_casting_to_a_dead_process_brings_a_benign_down(casts: Casts) -> None:
    casts.refuse(R2)
    assert casts.downs[R2] == Reason.BENIGN


def test_the_first_reason_stands_until_it_is_heard(casts: Casts) -> None:
    casts.end(R1, Reason.ABNORMAL)
    casts.refuse(R1)
    assert casts.downs[R1] == Reason.ABNORMAL
    casts.heard(R1)
    assert casts.downs[R1] is None


def test_a_process_that_is_given_up_is_down_whatever_was_heard_of_it(casts: Casts) -> None:
    casts.end(R1, Reason.ABNORMAL)
    casts.credit[R1].bumps = 1
    casts.give_up(R1)
    assert casts.downs[R1] == Reason.BENIGN
    assert casts.credit[R1].bumps == 0


def test_nothing_is_left_of_what_was_cast_when_everything_vanished(casts: Casts) -> None:
    casts.end(R2, Reason.NORMAL)
    casts.vanish()
    assert not casts.publishes
    assert not casts.downs


# -- multicast ------------------------------------------------------------------------------------


@pytest.fixture
def empty() -> Iterator[Multicast]:
    """Nobody has told anything."""
    with bound({Msg: 3, Replica: 3}):
        made = Multicast()
        for mirror in (R1, R2, R3):
            made.order[mirror] = Arrivals()
        yield made


@pytest.fixture
def multicast(empty: Multicast) -> Multicast:
    """A master has told its mirrors, r2 and r3, of three messages and that the first one left."""
    for mirror in (R2, R3):
        empty.tell_publish(message(1), mirror)
        empty.tell_discard(message(2), mirror)
        empty.tell_publish(message(3), mirror)
        empty.tell_removal(message(1), mirror)
    return empty


def heard(multicast: Multicast) -> list[Msg]:
    """Let r2 learn of one message after the other, and return them."""
    found = []
    while (following := multicast.next_from_master(R2)) is not None:
        found.append(following)
        multicast.learnt(following, R2)
    return found


def test_a_mirror_hears_of_messages_in_the_order_of_publishing(multicast: Multicast) -> None:
    assert heard(multicast) == [message(n) for n in (1, 2, 3)]
    assert not multicast.silent(R2)
    multicast.removed(message(1), R2)
    assert multicast.silent(R2)


@pytest.mark.parametrize("order", [[M1, M2], [M2, M1]])
def test_of_two_channels_a_mirror_hears_in_the_order_in_which_the_master_told(
    order: list[Msg],
) -> None:
    with bound({ChannelId: 2, Msg: 1, Replica: 2}):
        made = Multicast()
        made.order[R2] = Arrivals()
        made.tell_publish(order[0], R2)
        made.tell_refusal(order[1], R2)
        assert heard(made) == order


def test_mirrors_do_not_wait_for_each_other(multicast: Multicast) -> None:
    multicast.learnt(message(1), R2)
    assert multicast.coming(R2) == messages(2, 3)
    assert multicast.coming(R3) == messages(1, 2, 3)


def test_what_no_mirror_got_is_lost_with_the_master(multicast: Multicast) -> None:
    multicast.equalise(replicas("r2", "r3"))
    assert multicast.silent(R2)
    assert multicast.silent(R3)


def test_what_one_mirror_got_is_not_lost_nor_what_was_told_before(multicast: Multicast) -> None:
    multicast.learnt(message(1), R2)
    multicast.learnt(message(2), R2)
    multicast.equalise(replicas("r2", "r3"))
    assert not multicast.coming(R2)
    assert multicast.coming(R3) == messages(1, 2)


@pytest.mark.parametrize("got", [[M2], [M2, M1]])
def test_before_it_is_what_the_master_told_before_it_of_any_channel(got: list[Msg]) -> None:
    with bound({ChannelId: 2, Msg: 1, Replica: 3}):
        made = Multicast()
        for mirror in (R2, R3):
            made.order[mirror] = Arrivals()
            made.tell_publish(M2, mirror)
            made.tell_publish(M1, mirror)
        for msg in got:
            made.learnt(msg, R2)
        made.equalise(replicas("r2", "r3"))
        assert not made.coming(R2)
        assert made.coming(R3) == set(got)


def test_a_removal_that_one_mirror_heard_of_is_not_lost(multicast: Multicast) -> None:
    multicast.learnt(message(1), R2)
    multicast.removed(message(1), R2)
    multicast.equalise(replicas("r2", "r3"))
    assert multicast.coming(R3) == messages(1)
    assert multicast.removals[R3] == messages(1)


def test_what_is_on_its_way_passes_by_a_mirror_that_joins_and_counts_as_got_by_nobody(
    empty: Multicast,
) -> None:
    for number in (1, 2):
        empty.tell_publish(message(number), R2)
    empty.join(R3, replicas("r1", "r2"))
    assert empty.missed[R3] == messages(1, 2)
    empty.equalise(replicas("r2", "r3"))
    assert empty.silent(R2)


def test_the_mailbox_of_a_dead_process_is_lost_with_what_its_master_had_told(
    multicast: Multicast,
) -> None:
    multicast.refusals[R2] = messages(3)
    multicast.end(R2)
    assert multicast.silent(R2)
    assert not multicast.silent(R3)


def test_nothing_that_was_told_survives_when_everything_goes(multicast: Multicast) -> None:
    multicast.refusals[R3] = messages(3)
    multicast.vanish()
    assert multicast.silent(R2)
    assert multicast.silent(R3)
    assert not multicast.copies
    assert not multicast.discards
    assert not multicast.refusals
    assert not multicast.removals
