"""The channel, alone: numbers, settlement, and which frames a flush sends."""

from __future__ import annotations

import pytest
from ackproof.spec.channel import Channel
from ackproof.spec.lang import Event, NotEnabled
from ackproof.spec.sorts import Reason
from ackproof.spec.wire import SelectOk

from tests.spec.scenario import ack, message, messages, nack, queue_named, returned

Q1, Q2 = queue_named("q1"), queue_named("q2")


@pytest.fixture
def frames() -> list[Event]:
    return []


@pytest.fixture
def channel(frames: list[Event]) -> Channel:
    made = Channel(emit=frames.append, ghosts=True)
    made.select()
    frames.clear()
    return made


def publish(channel: Channel, count: int, *queues: str) -> None:
    for _ in range(count):
        channel.publish({queue_named(q) for q in queues}, False)


def settle(channel: Channel, *numbers: int) -> None:
    for number in numbers:
        channel.settle(message(number), Q1)


def flush(channel: Channel, frames: list[Event]) -> list[Event]:
    frames.clear()
    channel.flush()
    return list(frames)


def test_select_is_answered_every_time_and_resets_nothing(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 2, "q1")
    channel.select()
    assert frames == [SelectOk()]
    assert channel.next_seq == message(3)


def test_numbers_start_at_one_and_leave_none_out(channel: Channel) -> None:
    publish(channel, 3, "q1")
    assert set(channel.unconfirmed) == messages(1, 2, 3)
    assert channel.next_seq == message(4)


def test_outside_confirm_mode_nothing_is_counted_or_waited_for(frames: list[Event]) -> None:
    plain = Channel(emit=frames.append)
    plain.publish({Q1}, True)
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
    channel.publish({Q1}, True)
    channel.queue_down(Q1, Reason.ABNORMAL)
    channel.flush()
    assert frames == [nack(1, True)]


def test_a_message_is_confirmed_by_the_last_of_its_queues(channel: Channel) -> None:
    publish(channel, 1, "q1", "q2")
    channel.settle(message(1), Q2)
    assert not channel.confirmed
    channel.settle(message(1), Q1)
    assert channel.confirmed == messages(1)


def test_a_second_confirm_of_the_same_queue_has_no_effect(channel: Channel) -> None:
    publish(channel, 1, "q1", "q2")
    settle(channel, 1, 1)
    assert channel.unconfirmed[message(1)] == {Q2}


def test_a_reject_from_one_queue_decides_for_all(channel: Channel) -> None:
    publish(channel, 1, "q1", "q2")
    channel.reject(message(1), Q1)
    channel.settle(message(1), Q2)
    assert channel.rejected == messages(1)
    assert not channel.confirmed


def test_a_reject_after_the_last_confirm_comes_too_late(channel: Channel) -> None:
    publish(channel, 1, "q1")
    settle(channel, 1)
    channel.reject(message(1), Q1)
    assert channel.confirmed == messages(1)
    assert not channel.rejected


@pytest.mark.parametrize(
    ("reason", "accepted"),
    [(Reason.NORMAL, True), (Reason.BENIGN, False), (Reason.ABNORMAL, False)],
)
def test_only_the_deletion_of_a_queue_counts_as_its_confirm(
    channel: Channel, reason: Reason, accepted: bool
) -> None:
    publish(channel, 2, "q1")
    publish(channel, 1, "q2")
    channel.queue_down(Q1, reason)
    assert channel.confirmed == (messages(1, 2) if accepted else set())
    assert channel.rejected == (set() if accepted else messages(1, 2))
    assert set(channel.unconfirmed) == messages(3)


def test_a_deleted_queue_leaves_the_decision_to_the_others(channel: Channel) -> None:
    publish(channel, 1, "q1", "q2")
    channel.queue_down(Q1, Reason.NORMAL)
    assert not channel.confirmed
    channel.queue_down(Q2, Reason.ABNORMAL)
    assert channel.rejected == messages(1)


def test_settling_tells_nothing_until_the_flush(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 1, "q1")
    settle(channel, 1)
    assert frames == []
    assert flush(channel, frames) == [ack(1)]


def test_there_is_nothing_to_flush_when_nothing_is_settled(channel: Channel) -> None:
    publish(channel, 1, "q1")
    with pytest.raises(NotEnabled):
        channel.flush()


def test_a_lone_ack_is_never_multiple(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 2, "q1")
    settle(channel, 1)
    assert flush(channel, frames) == [ack(1)]
    settle(channel, 2)
    assert flush(channel, frames) == [ack(2)]


def test_a_lone_nack_is_multiple_if_nothing_older_is_open(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 2, "q1")
    channel.reject(message(1), Q1)
    assert flush(channel, frames) == [nack(1, True)]


def test_all_settled_with_nothing_open_is_one_frame(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 4, "q1")
    settle(channel, 3, 1, 4, 2)
    assert flush(channel, frames) == [ack(4, True)]


def test_what_is_newer_than_an_open_message_is_acked_singly_in_order(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 5, "q1")
    settle(channel, 5, 4, 2, 1)
    assert flush(channel, frames) == [ack(2, True), ack(4), ack(5)]


def test_multiple_is_used_below_the_cutoff_even_for_one_of_several(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 3, "q1")
    settle(channel, 1, 3)
    assert flush(channel, frames) == [ack(1, True), ack(3)]


def test_an_ack_does_not_cover_what_the_same_flush_rejects(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 3, "q1")
    channel.reject(message(1), Q1)
    settle(channel, 2, 3)
    assert flush(channel, frames) == [ack(2), ack(3), nack(1, True)]


def test_a_nack_does_not_cover_what_the_same_flush_confirms(
    channel: Channel, frames: list[Event]
) -> None:
    publish(channel, 3, "q1")
    settle(channel, 2)
    channel.reject(message(1), Q1)
    channel.reject(message(3), Q1)
    assert flush(channel, frames) == [ack(2), nack(1, True), nack(3)]


@pytest.mark.parametrize(("still_open", "rejected"), [(4, 2), (2, 4)])
def test_multiple_stops_at_whatever_comes_first(
    channel: Channel, frames: list[Event], still_open: int, rejected: int
) -> None:
    publish(channel, 5, "q1")
    settle(channel, 1, 3, 5)
    channel.reject(message(rejected), Q1)
    assert set(channel.unconfirmed) == messages(still_open)
    assert flush(channel, frames) == [ack(1, True), ack(3), ack(5), nack(rejected)]


def test_acks_go_before_nacks(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 2, "q1")
    channel.reject(message(1), Q1)
    settle(channel, 2)
    assert flush(channel, frames) == [ack(2), nack(1, True)]


def test_a_closed_channel_tells_nothing_more(channel: Channel, frames: list[Event]) -> None:
    publish(channel, 3, "q1")
    settle(channel, 1)
    channel.reject(message(2), Q1)
    channel.close()
    settle(channel, 3)
    channel.queue_down(Q1, Reason.ABNORMAL)
    with pytest.raises(NotEnabled):
        channel.flush()
    with pytest.raises(NotEnabled):
        channel.publish({Q1}, False)
    assert frames == []


def test_the_observed_order_of_a_mixed_burst(channel: Channel, frames: list[Event]) -> None:
    """X8, on RabbitMQ 3.10.8: eleven publishes of four kinds on one channel.

    1 is mandatory and unroutable, 2 unroutable; of 3 to 5 a full queue rejects 4 and 5; 6 to 8 are
    transient; 9 to 11 are persistent; 3 reaches the disk last.
    """
    full, fast, slow = (queue_named(q) for q in ("full", "fast", "slow"))
    channel.publish(set(), True)
    channel.flush()
    channel.publish(set(), False)
    channel.flush()
    for queue in (full, fast, slow):
        for _ in range(3):
            channel.publish({queue}, False)
    for number in (6, 7, 8):
        channel.settle(message(number), fast)
    channel.flush()
    channel.reject(message(4), full)
    channel.reject(message(5), full)
    channel.flush()
    for number in (9, 10, 11):
        channel.settle(message(number), slow)
    channel.flush()
    channel.settle(message(3), full)
    channel.flush()
    assert frames == [
        returned(1),
        *(ack(n) for n in (1, 2, 6, 7, 8)),
        *(nack(n) for n in (4, 5)),
        *(ack(n) for n in (9, 10, 11, 3)),
    ]


def test_a_channel_remembers_nothing_of_what_is_told(channel: Channel) -> None:
    bare = Channel()
    bare.select()
    for number in range(1, 10_001):
        bare.publish({Q1}, False)
        bare.settle(message(number), Q1)
        bare.flush()
    assert not bare.unconfirmed
    assert not bare.confirmed | bare.rejected | bare.acked | bare.nacked
