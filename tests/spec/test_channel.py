"""The channel, alone: numbers, settlement, and which frames a flush sends."""

from __future__ import annotations

import pytest
from ackproof.lang import Event, NotEnabled
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Reason, Replica
from ackproof.spec.wire import SelectOk

from tests.spec.built import CH1
from tests.spec.scenario import ack, message, messages, nack, replica, replicas, returned

R1, R2 = replica("r1"), replica("r2")


@pytest.fixture
def frames() -> list[Event]:
    return []


@pytest.fixture
def channel(frames: list[Event]) -> Channel:
    made = Channel(channel=CH1, emit=frames.append, ghosts=True)
    made.select()
    frames.clear()
    return made


def publish(channel: Channel, count: int, *processes: str) -> None:
    for _ in range(count):
        channel.publish(replicas(*processes), False)


def settle(channel: Channel, *numbers: int) -> None:
    for number in numbers:
        channel.settle(message(number), R1, {R1})


def down(channel: Channel, process: Replica, reason: Reason) -> None:
    """The only process of a queue is gone."""
    channel.process_down(process, reason, {process})


def flush(channel: Channel, frames: list[Event]) -> list[Event]:
    frames.clear()
    channel.flush()
    return list(frames)


def test_select_is_answered_every_time_and_resets_nothing(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 2, "r1")
    channel.select()
    assert frames == [SelectOk(CH1)]
    assert channel.next_seq == message(3)


def test_numbers_start_at_one_and_leave_none_out(channel: Channel) -> None:
    publish(channel, 3, "r1")
    assert set(channel.unconfirmed) == messages(1, 2, 3)
    assert channel.next_seq == message(4)


def test_outside_confirm_mode_nothing_is_counted_or_waited_for(frames: list[Event]) -> None:
    plain = Channel(channel=CH1, emit=frames.append)
    plain.publish({R1}, True)
    plain.publish(set(), True)
    assert frames == [returned(None)]
    assert plain.next_seq == message(1)
    assert not plain.unconfirmed
    assert not plain.confirmed


def test_an_unroutable_message_is_confirmed_not_rejected(channel: Channel) -> None:
    publish(channel, 1)
    assert channel.confirmed == messages(1)
    assert not channel.rejected


def test_a_mandatory_unroutable_message_is_returned_at_once_and_acked_later(
    channel: Channel, frames: list[Event]
) -> None:
    channel.publish(set(), True)
    assert frames == [returned(1)]
    channel.flush()
    assert frames == [returned(1), ack(1)]


def test_a_mandatory_message_that_found_one_queue_is_not_returned(
    channel: Channel, frames: list[Event]
) -> None:
    channel.publish({R1}, True)
    down(channel, R1, Reason.ABNORMAL)
    channel.flush()
    assert frames == [nack(1, True)]


def test_a_message_is_confirmed_by_the_last_of_its_queues(channel: Channel) -> None:
    publish(channel, 1, "r1", "r2")
    channel.settle(message(1), R2, {R2})
    assert not channel.confirmed
    channel.settle(message(1), R1, {R1})
    assert channel.confirmed == messages(1)


def test_a_second_confirm_of_the_same_queue_has_no_effect(channel: Channel) -> None:
    publish(channel, 1, "r1", "r2")
    settle(channel, 1, 1)
    assert channel.unconfirmed[message(1)] == {R2}


def test_a_reject_from_one_queue_decides_for_all(channel: Channel) -> None:
    publish(channel, 1, "r1", "r2")
    channel.reject(message(1), R1)
    channel.settle(message(1), R2, {R2})
    assert channel.rejected == messages(1)
    assert not channel.confirmed


def test_a_reject_after_the_last_confirm_comes_too_late(channel: Channel) -> None:
    publish(channel, 1, "r1")
    settle(channel, 1)
    channel.reject(message(1), R1)
    assert channel.confirmed == messages(1)
    assert not channel.rejected


@pytest.mark.parametrize(
    ("reason", "accepted"),
    [(Reason.NORMAL, True), (Reason.BENIGN, False), (Reason.ABNORMAL, False)],
)
def test_only_the_deletion_of_a_queue_counts_as_its_confirm(
    channel: Channel, reason: Reason, accepted: bool
) -> None:
    publish(channel, 2, "r1")
    publish(channel, 1, "r2")
    down(channel, R1, reason)
    assert channel.confirmed == (messages(1, 2) if accepted else set())
    assert channel.rejected == (set() if accepted else messages(1, 2))
    assert set(channel.unconfirmed) == messages(3)


def test_a_deleted_queue_leaves_the_decision_to_the_others(channel: Channel) -> None:
    publish(channel, 1, "r1", "r2")
    down(channel, R1, Reason.NORMAL)
    assert not channel.confirmed
    down(channel, R2, Reason.ABNORMAL)
    assert channel.rejected == messages(1)


# -- several processes of one queue ---------------------------------------------------------------


def mirrored_publish(channel: Channel) -> None:
    """Publish to a queue with a master, r1, and a mirror, r2, and to another queue of r3 alone."""
    channel.publish(replicas("r1", "r2", "r3"), False)


def confirm(channel: Channel, name: str) -> None:
    channel.settle(message(1), replica(name), siblings_of(name))


def ends(channel: Channel, name: str, reason: Reason) -> None:
    channel.process_down(replica(name), reason, siblings_of(name))


def siblings_of(name: str) -> set[Replica]:
    return replicas("r3") if name == "r3" else replicas("r1", "r2")


def test_a_queue_has_accepted_when_each_of_its_processes_has_confirmed(channel: Channel) -> None:
    mirrored_publish(channel)
    confirm(channel, "r1")
    assert channel.vouched[message(1)] == replicas("r1")
    confirm(channel, "r2")
    assert channel.unconfirmed[message(1)] == replicas("r3")
    assert not channel.vouched[message(1)]
    confirm(channel, "r3")
    assert channel.confirmed == messages(1)


def test_a_process_of_another_queue_does_not_settle_a_mirrors_part(channel: Channel) -> None:
    mirrored_publish(channel)
    confirm(channel, "r3")
    confirm(channel, "r1")
    assert not channel.confirmed
    assert channel.unconfirmed[message(1)] == replicas("r2")


def test_a_reject_of_one_process_decides_for_all_of_all_queues(channel: Channel) -> None:
    mirrored_publish(channel)
    confirm(channel, "r1")
    channel.reject(message(1), R2)
    assert channel.rejected == messages(1)
    assert not channel.unconfirmed
    assert not channel.vouched


def test_a_mirror_that_goes_leaves_the_decision_to_the_master(channel: Channel) -> None:
    mirrored_publish(channel)
    ends(channel, "r2", Reason.BENIGN)
    confirm(channel, "r3")
    assert channel.unconfirmed[message(1)] == replicas("r1")
    confirm(channel, "r1")
    assert channel.confirmed == messages(1)


def test_a_queue_of_which_one_confirmed_and_the_others_went_has_accepted(channel: Channel) -> None:
    mirrored_publish(channel)
    confirm(channel, "r2")
    ends(channel, "r1", Reason.BENIGN)
    assert channel.unconfirmed[message(1)] == replicas("r3")
    confirm(channel, "r3")
    assert channel.confirmed == messages(1)


def test_the_end_of_one_that_has_confirmed_takes_nothing_back(channel: Channel) -> None:
    mirrored_publish(channel)
    confirm(channel, "r1")
    ends(channel, "r1", Reason.ABNORMAL)
    assert channel.vouched[message(1)] == replicas("r1")
    confirm(channel, "r2")
    confirm(channel, "r3")
    assert channel.confirmed == messages(1)


def test_a_queue_of_which_all_went_and_none_confirmed_rejects(channel: Channel) -> None:
    mirrored_publish(channel)
    ends(channel, "r1", Reason.BENIGN)
    assert not channel.rejected
    ends(channel, "r2", Reason.BENIGN)
    assert channel.rejected == messages(1)


def test_a_crash_of_a_mirror_rejects_what_its_master_could_still_take(channel: Channel) -> None:
    mirrored_publish(channel)
    ends(channel, "r2", Reason.ABNORMAL)
    assert channel.rejected == messages(1)


def test_the_deletion_of_a_queue_settles_it_for_all_of_its_processes(channel: Channel) -> None:
    mirrored_publish(channel)
    ends(channel, "r1", Reason.NORMAL)
    assert channel.unconfirmed[message(1)] == replicas("r3")


def test_the_normal_end_of_a_mirror_is_a_deletion_too(channel: Channel) -> None:
    channel.publish(replicas("r2"), False)
    ends(channel, "r2", Reason.NORMAL)
    assert channel.confirmed == messages(1)


# -- telling --------------------------------------------------------------------------------------


def test_settling_tells_nothing_until_the_flush(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 1, "r1")
    settle(channel, 1)
    assert frames == []
    assert flush(channel, frames) == [ack(1)]


def test_there_is_nothing_to_flush_when_nothing_is_settled(channel: Channel) -> None:
    publish(channel, 1, "r1")
    with pytest.raises(NotEnabled):
        channel.flush()


def test_a_lone_ack_is_never_multiple(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 2, "r1")
    settle(channel, 1)
    assert flush(channel, frames) == [ack(1)]
    settle(channel, 2)
    assert flush(channel, frames) == [ack(2)]


def test_a_lone_nack_is_multiple_if_nothing_older_is_open(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 2, "r1")
    channel.reject(message(1), R1)
    assert flush(channel, frames) == [nack(1, True)]


def test_all_settled_with_nothing_open_is_one_frame(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 4, "r1")
    settle(channel, 3, 1, 4, 2)
    assert flush(channel, frames) == [ack(4, True)]


def test_what_is_newer_than_an_open_message_is_acked_singly_in_order(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 5, "r1")
    settle(channel, 5, 4, 2, 1)
    assert flush(channel, frames) == [ack(2, True), ack(4), ack(5)]


def test_multiple_is_used_below_the_cutoff_even_for_one_of_several(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 3, "r1")
    settle(channel, 1, 3)
    assert flush(channel, frames) == [ack(1, True), ack(3)]


def test_an_ack_does_not_cover_what_the_same_flush_rejects(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 3, "r1")
    channel.reject(message(1), R1)
    settle(channel, 2, 3)
    assert flush(channel, frames) == [ack(2), ack(3), nack(1, True)]


def test_a_nack_does_not_cover_what_the_same_flush_confirms(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 3, "r1")
    settle(channel, 2)
    channel.reject(message(1), R1)
    channel.reject(message(3), R1)
    assert flush(channel, frames) == [ack(2), nack(1, True), nack(3)]


@pytest.mark.parametrize(("still_open", "rejected"), [(4, 2), (2, 4)])
def test_multiple_stops_at_whatever_comes_first(
    channel: Channel, frames: list[Event], still_open: int, rejected: int
) -> None:
    publish(channel, 5, "r1")
    settle(channel, 1, 3, 5)
    channel.reject(message(rejected), R1)
    assert set(channel.unconfirmed) == messages(still_open)
    assert flush(channel, frames) == [ack(1, True), ack(3), ack(5), nack(rejected)]


def test_acks_go_before_nacks(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 2, "r1")
    channel.reject(message(1), R1)
    settle(channel, 2)
    assert flush(channel, frames) == [ack(2), nack(1, True)]


def test_a_closed_channel_tells_nothing_more(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 3, "r1")
    settle(channel, 1)
    channel.reject(message(2), R1)
    channel.close()
    settle(channel, 3)
    down(channel, R1, Reason.ABNORMAL)
    with pytest.raises(NotEnabled):
        channel.flush()
    with pytest.raises(NotEnabled):
        channel.publish({R1}, False)
    assert frames == []


def test_the_observed_order_of_a_mixed_burst(channel: Channel, frames: list[Event]) -> None:
    """X8, on RabbitMQ 3.10.8: eleven publishes of four kinds on one channel.

    1 is mandatory and unroutable, 2 unroutable; of 3 to 5 a full queue rejects 4 and 5; 6 to 8 are
    transient; 9 to 11 are persistent; 3 reaches the disk last.
    """
    full, fast, slow = (replica(q) for q in ("full", "fast", "slow"))
    channel.publish(set(), True)
    channel.flush()
    channel.publish(set(), False)
    channel.flush()
    for queue in (full, fast, slow):
        for _ in range(3):
            channel.publish({queue}, False)
    for number in (6, 7, 8):
        channel.settle(message(number), fast, {fast})
    channel.flush()
    channel.reject(message(4), full)
    channel.reject(message(5), full)
    channel.flush()
    for number in (9, 10, 11):
        channel.settle(message(number), slow, {slow})
    channel.flush()
    channel.settle(message(3), full, {full})
    channel.flush()
    assert frames == [
        returned(1),
        *(ack(n) for n in (1, 2, 6, 7, 8)),
        *(nack(n) for n in (4, 5)),
        *(ack(n) for n in (9, 10, 11, 3)),
    ]


def test_a_channel_remembers_nothing_of_what_is_told(channel: Channel) -> None:
    bare = Channel(channel=CH1)
    bare.select()
    for number in range(1, 10_001):
        bare.publish({R1}, False)
        bare.settle(message(number), R1, {R1})
        bare.flush()
    assert not bare.unconfirmed
    assert not bare.confirmed | bare.rejected | bare.acked | bare.nacked
