"""The transaction, alone: what it keeps, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import Event, NotEnabled, bound
from ackproof.spec.sorts import Msg, Queue, TxMode
from ackproof.spec.transaction import Transaction
from ackproof.spec.wire import CommitOk, RollbackOk, TxSelectOk

from tests.spec.built import CH1
from tests.spec.live import message, messages, queue_named

Q = queue_named(1)


@pytest.fixture
def frames() -> list[Event]:
    return []


@pytest.fixture
def transaction(frames: list[Event]) -> Iterator[Transaction]:
    with bound({Msg: 3, Queue: 2}):
        begun = Transaction(channel=CH1, emit=frames.append, ghosts=True)
        begun.select()
        frames.clear()
        yield begun


def test_selecting_again_is_answered_and_changes_nothing(
    transaction: Transaction, frames: list[Event]
) -> None:
    transaction.publish(message(1), {Q}, False)
    transaction.select()
    assert frames == [TxSelectOk(CH1)]
    assert transaction.batch == messages(1)


def test_a_message_is_kept_with_its_queues(transaction: Transaction) -> None:
    transaction.publish(message(1), {Q}, True)
    transaction.publish(message(2), set(), False)
    assert transaction.batch == messages(1, 2)
    assert transaction.routes[message(1)] == {Q}
    assert transaction.mandatory == messages(1)


def test_nothing_is_published_outside_of_a_transaction() -> None:
    with pytest.raises(NotEnabled):
        Transaction().publish(message(1), set(), False)


def test_a_commit_lets_go_of_everything_and_answers_later(
    transaction: Transaction, frames: list[Event]
) -> None:
    transaction.publish(message(1), {Q}, True)
    transaction.commit()
    assert not transaction.batch
    assert not transaction.routes
    assert not transaction.mandatory
    assert not transaction.answers()
    assert frames == []
    transaction.complete()
    assert frames == [CommitOk(CH1)]
    assert transaction.mode == TxMode.OPEN
    assert transaction.committed == messages(1)


def test_no_method_is_answered_while_a_commit_is_owed(transaction: Transaction) -> None:
    transaction.commit()
    for method in (transaction.select, transaction.commit, transaction.roll_back):
        with pytest.raises(NotEnabled):
            method()


def test_a_failed_commit_is_not_completed(transaction: Transaction, frames: list[Event]) -> None:
    transaction.commit()
    transaction.fail()
    with pytest.raises(NotEnabled):
        transaction.complete()
    assert frames == []


def test_a_rollback_forgets_the_messages_and_stays_transactional(
    transaction: Transaction, frames: list[Event]
) -> None:
    transaction.publish(message(1), {Q}, True)
    transaction.roll_back()
    assert frames == [RollbackOk(CH1)]
    assert not transaction.batch
    assert not transaction.mandatory
    assert transaction.mode == TxMode.OPEN
    assert transaction.abandoned == messages(1)


def test_a_close_is_a_rollback_without_an_answer(
    transaction: Transaction, frames: list[Event]
) -> None:
    transaction.publish(message(1), {Q}, False)
    transaction.close()
    assert frames == []
    assert transaction.abandoned == messages(1)
    assert transaction.mode == TxMode.NONE


def test_the_messages_of_a_commit_that_was_under_way_at_a_close_are_not_abandoned(
    transaction: Transaction,
) -> None:
    transaction.publish(message(1), {Q}, False)
    transaction.commit()
    transaction.close()
    assert not transaction.abandoned
    assert not transaction.committed
