"""The store, alone: levels, what is confirmed, what survives."""

from __future__ import annotations

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.sorts import Level
from ackproof.spec.store import Store

from tests.spec.scenario import message, messages

M = message(1)


@pytest.fixture
def store() -> Store:
    made = Store()
    made.put(M, True)
    return made


def test_a_message_passes_from_memory_to_the_kernel_to_the_disk(store: Store) -> None:
    seen = [store.level[M]]
    store.write(M)
    seen.append(store.level[M])
    store.sync(M)
    assert [*seen, store.level[M]] == [Level.BUFFERED, Level.WRITTEN, Level.SYNCED]


def test_a_written_message_is_not_confirmed(store: Store) -> None:
    store.write(M)
    assert not store.confirmed


def test_a_synced_message_is_confirmed(store: Store) -> None:
    store.write(M)
    store.sync(M)
    assert store.confirmed == messages(1)


def test_a_sync_writes_what_is_still_buffered(store: Store) -> None:
    store.sync(M)
    assert store.level[M] == Level.SYNCED


def test_messages_reach_the_disk_in_any_order(store: Store) -> None:
    store.put(message(2), True)
    store.sync(message(2))
    assert store.confirmed == messages(2)
    assert store.level[M] == Level.BUFFERED


def test_a_message_removed_before_its_write_is_confirmed_without_one(store: Store) -> None:
    store.remove(M)
    assert store.confirmed == messages(1)
    assert store.level[M] == Level.ABSENT


def test_a_confirmed_message_is_not_confirmed_again_when_it_is_removed(store: Store) -> None:
    store.sync(M)
    store.drained()
    store.remove(M)
    assert not store.confirmed


def test_what_nobody_wants_confirmed_is_not_confirmed(store: Store) -> None:
    store.put(message(2), False)
    store.sync(message(2))
    store.put(message(3), False)
    store.remove(message(3))
    assert not store.confirmed


def test_what_is_on_the_disk_cannot_be_synced_or_written_again(store: Store) -> None:
    store.sync(M)
    for step in (store.sync, store.write):
        with pytest.raises(NotEnabled):
            step(M)


def test_what_was_removed_cannot_be_synced(store: Store) -> None:
    store.remove(M)
    with pytest.raises(NotEnabled):
        store.sync(M)


@pytest.mark.parametrize("power", [False, True])
def test_a_crash_spares_what_is_written_and_a_power_failure_what_is_synced(power: bool) -> None:
    store = Store()
    for number in (1, 2, 3):
        store.put(message(number), True)
    store.write(message(2))
    store.sync(message(3))
    if power:
        store.lose_power()
    else:
        store.crash()
    assert set(store.level) == (messages(3) if power else messages(2, 3))


@pytest.mark.parametrize("power", [False, True])
def test_a_confirm_that_was_not_drained_dies_with_the_process(store: Store, power: bool) -> None:
    store.sync(M)
    store.put(message(2), True)
    if power:
        store.lose_power()
    else:
        store.crash()
    assert not store.confirmed
    assert not store.unconfirmed
    assert store.level[M] == Level.SYNCED


def test_a_deleted_queue_leaves_no_files(store: Store) -> None:
    store.sync(M)
    store.wipe()
    assert not store.level
    assert not store.confirmed


def test_a_store_remembers_nothing_of_what_left_it() -> None:
    store = Store()
    for number in range(1, 10_001):
        store.put(message(number), True)
        store.sync(message(number))
        store.drained()
        store.remove(message(number))
    assert not store.level
    assert not store.unconfirmed | store.confirmed
