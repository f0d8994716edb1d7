"""The queue, alone: when it confirms, and what consumers do to that."""

from __future__ import annotations

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.queue import QueueMaster
from ackproof.spec.sorts import Level, Status

from tests.spec.scenario import message, messages

M = message(1)


@pytest.fixture
def queue() -> QueueMaster:
    return QueueMaster(ghosts=True)


def test_a_persistent_message_in_a_durable_queue_waits_for_the_disk(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    queue.drain()
    assert not queue.outbox
    queue.store.sync(M)
    assert not queue.outbox
    queue.drain()
    assert queue.outbox == messages(1)
    assert not queue.awaiting


def test_a_transient_message_is_confirmed_at_once_and_not_stored(queue: QueueMaster) -> None:
    queue.accept(M, False, True)
    assert queue.outbox == messages(1)
    assert queue.store.level[M] == Level.ABSENT
    assert queue.ready == messages(1)


def test_a_queue_that_is_not_durable_stores_nothing() -> None:
    queue = QueueMaster(durable=False)
    queue.accept(M, True, True)
    assert queue.outbox == messages(1)
    assert not queue.store.level


def test_a_message_without_confirms_is_stored_and_never_confirmed(queue: QueueMaster) -> None:
    queue.accept(M, True, False)
    queue.store.sync(M)
    queue.drain()
    assert not queue.outbox
    assert queue.store.level[M] == Level.SYNCED


def test_a_transient_message_without_confirms_is_never_confirmed(queue: QueueMaster) -> None:
    queue.accept(M, False, False)
    assert not queue.outbox
    assert not queue.awaiting


def test_a_consumer_gets_the_oldest_message(queue: QueueMaster) -> None:
    queue.accept(message(2), True, True)
    queue.accept(message(3), True, True)
    assert queue.head() == message(2)
    queue.take(message(2))
    assert queue.head() == message(3)


def test_a_message_put_back_returns_to_its_old_place(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    queue.accept(message(2), True, True)
    queue.take(M)
    queue.requeue(M)
    assert queue.head() == message(1)
    assert not queue.pending


def test_a_consumer_may_have_a_message_before_it_is_written(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    queue.take(M)
    assert queue.store.level[M] == Level.BUFFERED
    assert queue.awaiting == messages(1)


def test_a_message_acknowledged_before_its_write_is_confirmed_without_one(
    queue: QueueMaster,
) -> None:
    queue.accept(M, True, True)
    queue.take(M)
    queue.acknowledge(M)
    queue.drain()
    assert queue.outbox == messages(1)
    assert queue.store.level[M] == Level.ABSENT


def test_a_dropped_message_counts_as_consumed(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    queue.drop(M)
    queue.drain()
    assert queue.outbox == messages(1)


def test_a_consumer_without_acks_gets_a_persistent_message_past_the_store(
    queue: QueueMaster,
) -> None:
    queue.pass_by(M, True)
    assert queue.outbox == messages(1)
    assert not queue.ready
    assert not queue.store.level


def test_nothing_is_passed_by_while_older_messages_wait(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    with pytest.raises(NotEnabled):
        queue.pass_by(message(2), True)


@pytest.mark.parametrize("synced_first", [False, True])
def test_putting_a_message_back_confirms_nothing_and_loses_no_confirm(
    queue: QueueMaster, synced_first: bool
) -> None:
    queue.accept(M, True, True)
    if synced_first:
        queue.store.sync(M)
        queue.drain()
        queue.posted({M})
    queue.take(M)
    queue.requeue(M)
    queue.drain()
    assert not queue.outbox
    if not synced_first:
        queue.store.sync(M)
        queue.drain()
        assert queue.outbox == messages(1)


def test_a_message_is_confirmed_once_though_it_is_consumed_later(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    queue.store.sync(M)
    queue.drain()
    queue.posted({M})
    queue.take(M)
    queue.acknowledge(M)
    queue.drain()
    assert not queue.outbox


def test_a_crash_keeps_what_is_in_the_files_and_what_was_sent(queue: QueueMaster) -> None:
    for number in (1, 2, 3):
        queue.accept(message(number), True, True)
    queue.accept(message(4), False, True)
    queue.store.write(message(2))
    queue.store.sync(message(3))
    queue.crash()
    assert queue.outbox == messages(4)
    assert not queue.awaiting
    queue.recover()
    assert queue.ready == messages(2, 3)
    queue.drain()
    assert queue.outbox == messages(4)


def test_after_a_power_failure_only_what_was_synced_is_ready(queue: QueueMaster) -> None:
    for number in (1, 2):
        queue.accept(message(number), True, True)
    queue.store.write(M)
    queue.store.sync(message(2))
    queue.lose_power()
    queue.recover()
    assert queue.ready == messages(2)


def test_unacknowledged_messages_are_ready_again_after_a_crash(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    queue.store.sync(M)
    queue.take(M)
    queue.crash()
    queue.recover()
    assert queue.ready == messages(1)
    assert not queue.pending


def test_a_deleted_queue_has_nothing_and_does_not_come_back(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    queue.store.sync(M)
    queue.delete()
    assert queue.status == Status.DELETED
    assert not queue.ready | queue.awaiting
    assert not queue.store.level
    with pytest.raises(NotEnabled):
        queue.recover()


def test_a_queue_that_is_down_does_nothing(queue: QueueMaster) -> None:
    queue.accept(M, True, True)
    queue.crash()
    with pytest.raises(NotEnabled):
        queue.accept(message(2), True, True)
    with pytest.raises(NotEnabled):
        queue.pass_by(message(2), True)
    with pytest.raises(NotEnabled):
        queue.drain()
