"""Transactions in the system: what a commit does, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import NotEnabled
from ackproof.model.check import check
from ackproof.model.verdict import Verdict
from ackproof.spec.sorts import Level, TxMode
from ackproof.spec.wire import (
    ChannelClose,
    CommitOk,
    Complaint,
    Return,
    RollbackOk,
    SelectOk,
    TxSelectOk,
)

from tests.spec.built import CH1
from tests.spec.live import Live, live, message, messages, queue_named, replica
from tests.spec.mistakes import MISTAKES, MODEL


@pytest.fixture
def tx() -> Iterator[Live]:
    """A transactional channel, and two queues."""
    with live(queues=2, limits=(), transactional=True) as running:
        running.system.tx_select()
        running.told()
        yield running


def settle(tx: Live, number: int, *queues: int) -> None:
    """Let a transient message arrive at these queues, and their confirms at the channel."""
    for q in queues:
        tx.system.deliver(message(number), replica(q))
        tx.system.confirm_arrives(replica(q))


def test_nothing_leaves_the_channel_before_the_commit(tx: Live) -> None:
    tx.publish(1, 1, 2)
    assert not tx.system.casts.publishes[replica(1)]
    assert not tx.system.channel.unconfirmed
    tx.system.tx_commit()
    assert tx.system.casts.publishes[replica(1)] == messages(1)
    assert tx.system.casts.publishes[replica(2)] == messages(1)


def test_commit_ok_waits_for_every_queue_of_every_message(tx: Live) -> None:
    tx.publish(1, 1)
    tx.publish(2, 1, 2)
    tx.system.tx_commit()
    settle(tx, 1, 1)
    settle(tx, 2, 1)
    with pytest.raises(NotEnabled):
        tx.system.complete()
    settle(tx, 2, 2)
    tx.system.complete()
    assert tx.told() == [CommitOk(CH1)]


def test_commit_ok_waits_for_the_disk(tx: Live) -> None:
    tx.publish(1, 1, persistent=True)
    tx.system.tx_commit()
    tx.system.deliver(message(1), replica(1))
    with pytest.raises(NotEnabled):
        tx.system.confirm_arrives(replica(1))
    tx.system.sync(message(1), replica(1))
    tx.system.drain(replica(1))
    tx.system.confirm_arrives(replica(1))
    tx.system.complete()
    assert tx.told() == [CommitOk(CH1)]


def test_an_empty_transaction_is_committed_at_once(tx: Live) -> None:
    tx.system.tx_commit()
    tx.system.complete()
    assert tx.told() == [CommitOk(CH1)]


def test_a_transactional_channel_acks_nothing(tx: Live) -> None:
    tx.publish(1, 1)
    tx.system.tx_commit()
    settle(tx, 1, 1)
    with pytest.raises(NotEnabled):
        tx.system.flush()
    tx.system.complete()
    assert not tx.system.channel.confirmed
    with pytest.raises(NotEnabled):
        tx.system.flush()


def test_a_message_whose_queue_was_deleted_is_returned_at_the_commit(tx: Live) -> None:
    tx.publish(1, 1)
    tx.publish(2, 1, 2)
    tx.system.delete_queue(queue_named(1))
    tx.system.tx_commit()
    assert tx.told() == [Return(CH1, None)]
    settle(tx, 2, 2)
    tx.system.complete()
    assert tx.told() == [CommitOk(CH1)]


def test_a_queue_that_crashes_fails_the_commit_and_the_rest_is_stored(tx: Live) -> None:
    tx.publish(1, 1)
    tx.publish(2, 2)
    tx.system.tx_commit()
    tx.system.crash_queue(replica(1))
    tx.system.down_arrives(replica(1))
    assert tx.system.transaction.mode == TxMode.FAILED
    with pytest.raises(NotEnabled):
        tx.system.complete()
    settle(tx, 2, 2)
    tx.system.complete()
    assert tx.told() == [ChannelClose(CH1, Complaint.PARTIAL_COMPLETION)]
    assert not tx.system.channel.open
    assert tx.queue(2).ready == messages(2)


def test_a_commit_that_was_not_answered_may_be_there_in_part_after_the_power_fails(
    tx: Live,
) -> None:
    for number in (1, 2):
        tx.publish(number, 1, persistent=True)
    tx.system.tx_commit()
    for number in (1, 2):
        tx.system.deliver(message(number), replica(1))
    tx.system.sync(message(1), replica(1))
    tx.system.crash_machine()
    store = tx.queue(1).store
    assert [store.level[message(n)] for n in (1, 2)] == [Level.SYNCED, Level.ABSENT]
    assert CommitOk(CH1) not in tx.told(), "nobody was told that all of it is there"


def test_a_queue_that_is_full_fails_the_commit(tx: Live) -> None:
    tx.queue(1).refuse(message(1), True)
    tx.publish(1, 1)
    tx.system.tx_commit()
    tx.system.reject_arrives(replica(1))
    tx.system.complete()
    assert tx.told() == [ChannelClose(CH1, Complaint.PARTIAL_COMPLETION)]


def test_a_rollback_leaves_nothing_and_numbers_go_on(tx: Live) -> None:
    tx.publish(1, 1)
    tx.system.tx_rollback()
    assert tx.told() == [RollbackOk(CH1)]
    tx.publish(2, 1)
    tx.system.tx_commit()
    assert tx.system.casts.publishes[replica(1)] == messages(2)


def test_a_close_takes_the_open_transaction_with_it(tx: Live) -> None:
    tx.publish(1, 1)
    tx.system.close()
    assert not tx.system.transaction.batch
    assert not tx.system.casts.publishes[replica(1)]
    assert tx.told() == []


def test_nothing_is_published_while_a_commit_is_owed(tx: Live) -> None:
    tx.system.tx_commit()
    for method in (tx.system.tx_commit, tx.system.tx_rollback, tx.system.tx_select):
        with pytest.raises(NotEnabled):
            method()
    with pytest.raises(NotEnabled):
        tx.publish(1, 1)


def test_a_transactional_channel_does_not_become_a_confirming_one(tx: Live) -> None:
    tx.system.select()
    assert tx.told() == [ChannelClose(CH1, Complaint.TX_TO_CONFIRM)]
    assert not tx.system.channel.confirming


def test_a_confirming_channel_does_not_become_transactional() -> None:
    with live(limits=(), transactional=True) as running:
        running.system.select()
        running.system.tx_select()
        assert running.told() == [SelectOk(CH1), ChannelClose(CH1, Complaint.CONFIRM_TO_TX)]


@pytest.mark.parametrize("method", ["tx_commit", "tx_rollback"])
def test_a_commit_and_a_rollback_need_a_transaction(method: str) -> None:
    with live(limits=(), transactional=True) as running:
        getattr(running.system, method)()
        assert running.told() == [ChannelClose(CH1, Complaint.NOT_TRANSACTIONAL)]


def test_where_transactions_are_off_none_begins() -> None:
    with live(limits=()) as running, pytest.raises(NotEnabled):
        running.system.tx_select()


def test_selecting_twice_is_answered_twice(tx: Live) -> None:
    tx.system.tx_select()
    assert tx.told() == [TxSelectOk(CH1)]


@pytest.mark.parametrize("name", ["small", "pair"])
def test_transactions_keep_their_promises(name: str) -> None:
    instance = MODEL.instance(name)
    assert instance is not None
    report = check(MODEL, instance)
    assert report.verdict == Verdict.VERIFIED
    assert report.outcome.states == instance.states


@pytest.mark.parametrize("name", [n for n, (_, where) in MISTAKES.items() if where == "small"])
def test_a_mistake_breaks_the_property_that_is_there_to_find_it(name: str) -> None:
    design, where = MISTAKES[name]
    instance = MODEL.instance(where)
    assert instance is not None
    assert name in check(MODEL, instance, design, properties=[name]).outcome.violations
