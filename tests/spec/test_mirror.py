"""A mirror, alone: two copies of each message, its own disk, and what promotion makes of it all."""

from __future__ import annotations

from typing import Any

import pytest
from ackproof.lang import NotEnabled
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Born, Level, Seen, Status

from tests.spec.built import CH1
from tests.spec.scenario import message, messages, queue_named

M, LATER = message(1), message(2)


def made(born: Born = Born.MIRROR, **constants: Any) -> QueueProcess:
    return QueueProcess(ghosts=True, of=queue_named("q1"), born=born, **constants)


@pytest.fixture
def mirror() -> QueueProcess:
    return made()


def hear(
    mirror: QueueProcess, *numbers: int, persistent: bool = True, confirm: bool = True
) -> None:
    """The direct copies arrive."""
    for number in numbers:
        mirror.hear(message(number), persistent, confirm)


def learn(
    mirror: QueueProcess,
    *numbers: int,
    fate: Seen = Seen.PUBLISHED,
    persistent: bool = True,
    confirm: bool = True,
) -> None:
    """The master's copies arrive."""
    for number in numbers:
        mirror.learn(message(number), fate, persistent, confirm, set(mirror.direct))


def synced(mirror: QueueProcess, *numbers: int) -> None:
    """The messages reach the disk, and the mirror learns that."""
    for number in numbers:
        mirror.store.sync(message(number))
    mirror.drain()


# -- the direct copy (D4.1-D4.5) ------------------------------------------------------------------


def test_a_direct_copy_waits_until_the_master_says_what_became_of_it(mirror: QueueProcess) -> None:
    hear(mirror, 1, 2)
    assert mirror.direct == messages(1, 2)
    assert mirror.first_direct(mirror.direct) == M
    assert not mirror.ready | mirror.outbox
    assert not mirror.store.level


def test_a_direct_copy_of_what_the_master_published_makes_the_disk_the_last_to_ask(
    mirror: QueueProcess,
) -> None:
    learn(mirror, 1)
    hear(mirror, 1)
    assert mirror.seen[M] == Seen.CALLED
    assert not mirror.outbox | mirror.direct


def test_a_direct_copy_of_what_is_on_disk_already_is_confirmed_now(mirror: QueueProcess) -> None:
    learn(mirror, 1)
    synced(mirror, 1)
    assert mirror.seen[M] == Seen.CONFIRMED
    assert not mirror.outbox
    hear(mirror, 1)
    assert mirror.outbox == messages(1)
    assert mirror.seen[M] == Seen.ABSENT


def test_a_direct_copy_of_what_the_master_gave_away_is_confirmed_now(mirror: QueueProcess) -> None:
    learn(mirror, 1, fate=Seen.DISCARDED)
    hear(mirror, 1)
    assert mirror.outbox == messages(1)
    assert not mirror.ready


@pytest.mark.parametrize(("persistent", "durable"), [(False, True), (True, False)])
def test_a_direct_copy_of_what_no_disk_will_have_is_confirmed_now(
    persistent: bool, durable: bool
) -> None:
    mirror = made(durable=durable)
    learn(mirror, 1, persistent=persistent)
    hear(mirror, 1, persistent=persistent)
    assert mirror.outbox == messages(1)
    assert mirror.ready == messages(1)
    assert mirror.seen[M] == Seen.ABSENT


@pytest.mark.parametrize("direct_first", [True, False])
def test_a_message_that_nobody_will_confirm_is_forgotten_when_both_copies_are_here(
    mirror: QueueProcess, direct_first: bool
) -> None:
    if direct_first:
        hear(mirror, 1, confirm=False)
        learn(mirror, 1, confirm=False)
    else:
        learn(mirror, 1, confirm=False)
        hear(mirror, 1, confirm=False)
    synced(mirror, 1)
    assert not mirror.outbox | mirror.direct
    assert mirror.seen[M] == Seen.ABSENT
    assert mirror.ready == messages(1)


# -- the master's copy (D4.6-D4.11) ---------------------------------------------------------------


def test_the_masters_copy_alone_puts_a_message_into_the_queue_and_is_noted(
    mirror: QueueProcess,
) -> None:
    learn(mirror, 1)
    assert mirror.ready == messages(1)
    assert mirror.store.level[M] == Level.BUFFERED
    assert mirror.seen[M] == Seen.PUBLISHED


def test_the_masters_copy_of_the_first_direct_one_is_the_second_of_both(
    mirror: QueueProcess,
) -> None:
    hear(mirror, 1, 2)
    learn(mirror, 1)
    assert mirror.direct == messages(2)
    assert mirror.seen[M] == Seen.CALLED
    assert mirror.ready == messages(1)


def test_a_transient_message_is_confirmed_when_the_masters_copy_comes_second(
    mirror: QueueProcess,
) -> None:
    hear(mirror, 1, persistent=False)
    learn(mirror, 1, persistent=False)
    assert mirror.outbox == messages(1)


def test_a_message_behind_which_another_waits_was_not_sent_to_this_mirror(
    mirror: QueueProcess,
) -> None:
    hear(mirror, 2)
    learn(mirror, 1)
    assert mirror.ready == messages(1)
    assert mirror.seen[M] == Seen.ABSENT
    assert mirror.direct == messages(2)


def test_what_the_master_gave_away_before_the_direct_copy_came_is_noted(
    mirror: QueueProcess,
) -> None:
    learn(mirror, 1, fate=Seen.DISCARDED)
    assert mirror.seen[M] == Seen.DISCARDED
    assert not mirror.ready | mirror.outbox


def test_what_the_master_gave_away_is_confirmed_if_it_is_the_first_direct_one(
    mirror: QueueProcess,
) -> None:
    hear(mirror, 1)
    learn(mirror, 1, fate=Seen.DISCARDED)
    assert mirror.outbox == messages(1)
    assert not mirror.direct | mirror.ready


def test_what_the_master_gave_away_and_this_mirror_was_not_sent_is_nothing_to_it(
    mirror: QueueProcess,
) -> None:
    hear(mirror, 2)
    learn(mirror, 1, fate=Seen.DISCARDED)
    assert not mirror.outbox | mirror.ready
    assert mirror.seen[M] == Seen.ABSENT


@pytest.mark.parametrize("direct_first", [True, False])
def test_what_the_master_has_refused_is_rejected_here_too(
    mirror: QueueProcess, direct_first: bool
) -> None:
    if direct_first:
        hear(mirror, 1)
        learn(mirror, 1, fate=Seen.REFUSED)
    else:
        learn(mirror, 1, fate=Seen.REFUSED)
        hear(mirror, 1)
    assert mirror.refused == messages(1)
    assert not mirror.outbox | mirror.ready


# -- the disk (D4.12-D4.15) -----------------------------------------------------------------------


def test_what_both_have_sent_is_confirmed_when_it_is_on_disk(mirror: QueueProcess) -> None:
    hear(mirror, 1)
    learn(mirror, 1)
    assert not mirror.outbox
    synced(mirror, 1)
    assert mirror.outbox == messages(1)
    assert mirror.seen[M] == Seen.ABSENT


def test_what_the_channel_has_not_asked_for_is_never_confirmed(mirror: QueueProcess) -> None:
    hear(mirror, 2)
    learn(mirror, 1)
    synced(mirror, 1)
    assert not mirror.outbox
    assert mirror.seen[M] == Seen.ABSENT


def test_what_leaves_the_queue_before_it_is_written_counts_as_stored(mirror: QueueProcess) -> None:
    hear(mirror, 1)
    learn(mirror, 1)
    mirror.remove(M)
    mirror.drain()
    assert mirror.outbox == messages(1)
    assert not mirror.ready
    assert mirror.store.level[M] == Level.ABSENT


# -- the channel goes (D4.16-D4.18) ---------------------------------------------------------------


def test_a_channel_that_is_gone_leaves_nothing_that_waits_for_it(mirror: QueueProcess) -> None:
    learn(mirror, 1)
    learn(mirror, 2, fate=Seen.DISCARDED)
    hear(mirror, 3)
    assert mirror.remembers(CH1)
    mirror.forget_sender(mirror.known())
    assert not mirror.remembers(CH1)
    assert not mirror.direct
    assert mirror.ready == messages(1)


def test_what_waits_for_the_disk_is_confirmed_to_nobody_in_particular(
    mirror: QueueProcess,
) -> None:
    hear(mirror, 1)
    learn(mirror, 1)
    mirror.forget_sender(mirror.known())
    assert mirror.seen[M] == Seen.CALLED


# -- promotion (D5.5, D5.6) -----------------------------------------------------------------------


def test_a_promoted_mirror_leads_and_a_mirror_does_not(mirror: QueueProcess) -> None:
    assert mirror.mirrors()
    assert not mirror.leads()
    mirror.promote()
    assert mirror.leads()
    assert not mirror.mirrors()


def test_nobody_is_promoted_twice_and_no_master_is(mirror: QueueProcess) -> None:
    mirror.promote()
    with pytest.raises(NotEnabled):
        mirror.promote()
    with pytest.raises(NotEnabled):
        made(Born.MASTER).promote()


def test_what_waited_for_the_disk_is_awaited_as_a_master_awaits_it(mirror: QueueProcess) -> None:
    hear(mirror, 1)
    learn(mirror, 1)
    mirror.promote()
    assert mirror.awaiting == messages(1)
    assert not mirror.recognises(M)
    synced(mirror, 1)
    assert mirror.outbox == messages(1)


def test_what_came_from_the_channel_only_starts_again(mirror: QueueProcess) -> None:
    hear(mirror, 1)
    mirror.promote()
    assert not mirror.direct
    mirror.accept(M, True, True)
    assert mirror.ready == messages(1)
    assert mirror.awaiting == messages(1)


def test_what_is_there_counts_as_handed_out_after_a_promotion() -> None:
    mirror = made(marking=True)
    learn(mirror, 1)
    hear(mirror, 2)
    learn(mirror, 3)
    mirror.promote()
    assert mirror.delivered == messages(1, 2, 3)


def test_a_promoted_mirror_still_knows_what_the_old_master_told(mirror: QueueProcess) -> None:
    learn(mirror, 1)
    mirror.promote()
    assert mirror.recognises(M)
    assert not mirror.recognises(LATER)


# -- confirms in a promoted master (D6) -----------------------------------------------------------


def test_a_known_message_on_disk_is_confirmed_when_its_direct_copy_comes(
    mirror: QueueProcess,
) -> None:
    learn(mirror, 1)
    mirror.promote()
    synced(mirror, 1)
    assert not mirror.outbox
    mirror.accept_again(M, True, True)
    mirror.drain()
    assert mirror.outbox == messages(1)
    assert mirror.ready == messages(1)


def test_a_known_message_whose_direct_copy_comes_first_is_confirmed_by_the_disk(
    mirror: QueueProcess,
) -> None:
    learn(mirror, 1)
    mirror.promote()
    mirror.accept_again(M, True, True)
    mirror.drain()
    assert not mirror.outbox
    synced(mirror, 1)
    assert mirror.outbox == messages(1)


def test_a_known_transient_message_is_confirmed_at_once(mirror: QueueProcess) -> None:
    learn(mirror, 1, persistent=False)
    mirror.promote()
    mirror.accept_again(M, False, True)
    assert mirror.outbox == messages(1)
    assert not mirror.recognises(M)


def test_what_the_old_master_gave_away_is_confirmed_and_not_stored(mirror: QueueProcess) -> None:
    learn(mirror, 1, fate=Seen.DISCARDED)
    mirror.promote()
    mirror.accept_again(M, True, True)
    mirror.drain()
    assert mirror.outbox == messages(1)
    assert not mirror.ready


def test_what_the_old_master_refused_stays_refused(mirror: QueueProcess) -> None:
    learn(mirror, 1, fate=Seen.REFUSED)
    mirror.promote()
    mirror.accept_again(M, True, True)
    mirror.drain()
    assert mirror.refused == messages(1)
    assert not mirror.outbox | mirror.ready


def test_a_master_that_enqueues_what_it_knows_fails_its_assertion(mirror: QueueProcess) -> None:
    learn(mirror, 1)
    mirror.promote()
    with pytest.raises(AssertionError):
        mirror.accept(M, True, True)
    with pytest.raises(AssertionError):
        mirror.refuse(M, True)


# -- joining and ending ---------------------------------------------------------------------------


def test_a_process_that_joins_later_is_no_mirror_before(mirror: QueueProcess) -> None:
    late = made(Born.LATER)
    assert not late.mirrors()
    late.join()
    assert late.mirrors()
    with pytest.raises(NotEnabled):
        late.join()
    with pytest.raises(NotEnabled):
        mirror.join()


def test_a_mirror_that_crashes_forgets_the_copies_and_what_it_had_seen(
    mirror: QueueProcess,
) -> None:
    learn(mirror, 1)
    hear(mirror, 2)
    mirror.crash()
    assert mirror.status == Status.DOWN
    assert not mirror.ready | mirror.direct
    assert not mirror.seen
    assert not mirror.mirrors()


def test_a_mirror_says_what_it_will_answer_for(mirror: QueueProcess) -> None:
    hear(mirror, 1, 2)
    learn(mirror, 1)
    learn(mirror, 2, persistent=False)
    hear(mirror, 3)
    assert mirror.owes() == messages(1, 2, 3)
