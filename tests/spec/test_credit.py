"""Credit between two processes, alone: who is blocked, when credit comes back, who defers it."""

from __future__ import annotations

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.credit import CreditPair


@pytest.fixture
def pair() -> CreditPair:
    return CreditPair(initial=2, more_after=1)


def test_a_sender_is_blocked_when_its_credit_is_used_up(pair: CreditPair) -> None:
    pair.send(1)
    assert not pair.blocks()
    pair.send(1)
    assert pair.blocks()


def test_a_blocked_sender_sends_what_it_has_accepted(pair: CreditPair) -> None:
    for _ in range(3):
        pair.send(2)
    assert pair.used == 6


def test_an_ack_gives_credit_back_when_the_bump_arrives(pair: CreditPair) -> None:
    pair.send(2)
    pair.ack(False)
    assert pair.blocks()
    pair.bumped()
    assert not pair.blocks()
    assert pair.used == 1


def test_credit_comes_back_in_portions() -> None:
    pair = CreditPair(initial=4, more_after=3)
    pair.send(1)
    pair.send(1)
    pair.send(1)
    pair.ack(False)
    pair.ack(False)
    assert pair.bumps == 0
    pair.ack(False)
    assert (pair.bumps, pair.taken) == (1, 0)
    pair.bumped()
    assert pair.used == 0


def test_a_blocked_receiver_counts_and_defers_its_bumps(pair: CreditPair) -> None:
    pair.send(1)
    pair.send(1)
    pair.ack(True)
    pair.ack(True)
    assert (pair.deferred, pair.bumps) == (2, 0)
    pair.release()
    assert (pair.deferred, pair.bumps) == (0, 2)


def test_there_is_no_bump_that_nobody_sent(pair: CreditPair) -> None:
    with pytest.raises(NotEnabled):
        pair.bumped()


def test_a_bump_outlives_its_sender_and_a_deferred_one_does_not(pair: CreditPair) -> None:
    pair.send(2)
    pair.ack(False)
    pair.ack(True)
    pair.receiver_ends()
    assert (pair.deferred, pair.bumps) == (0, 1)
    pair.lose_bumps()
    assert pair.bumps == 0
    assert pair.blocks()


def test_a_pair_that_was_forgotten_starts_again_with_full_credit(pair: CreditPair) -> None:
    pair.send(2)
    pair.send(2)
    pair.ack(True)
    pair.ack(False)
    pair.forget()
    assert not pair.blocks()
    assert (pair.used, pair.given()) == (0, 0)


@pytest.mark.parametrize("more_after", [1, 2, 3])
def test_what_is_used_is_under_way_or_on_its_way_back(more_after: int) -> None:
    pair = CreditPair(initial=3, more_after=more_after)
    under_way = 0
    for step in range(40):
        if step % 5 < 2:
            pair.send(1)
            under_way += 1
        elif under_way:
            pair.ack(step % 3 == 0)
            under_way -= 1
        elif pair.bumps:
            pair.bumped()
        else:
            pair.release()
        assert pair.used == under_way + pair.given()
