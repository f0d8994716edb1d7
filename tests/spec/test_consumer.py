"""The consumers' side of a channel, alone: tags, what settles them, and limits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import Event, NotEnabled, bound
from ackproof.spec.consumer import ConsumerChannel, Delivery, Subscription
from ackproof.spec.sorts import Consumer, Msg, Replica, Tag
from ackproof.spec.wire import Deliver, GetOk

from tests.spec.built import CH1
from tests.spec.live import consumer_named, message, messages, queue_named, replica, tag

C = consumer_named(1)
R = replica(1)


@pytest.fixture
def frames() -> list[Event]:
    return []


@pytest.fixture
def channel(frames: list[Event]) -> Iterator[ConsumerChannel]:
    with bound({Msg: 4, Tag: 4, Replica: 2, Consumer: 2}):
        yield ConsumerChannel(channel=CH1, emit=frames.append)


def deliver(channel: ConsumerChannel, *numbers: int, consumer: int = 1) -> None:
    for number in numbers:
        channel.deliver(message(number), R, consumer_named(consumer), False, False)


def tags(*numbers: int) -> set[Tag]:
    return set(map(tag, numbers))


def test_tags_count_from_one_and_gets_take_them_too(
    channel: ConsumerChannel, frames: list[Event]
) -> None:
    deliver(channel, 1)
    channel.answer(message(2), R, queue_named(1), True, False)
    channel.deliver(message(3), R, C, False, False)
    assert frames == [
        Deliver(tag(1), C, message(1), False),
        GetOk(CH1, tag(2), queue_named(1), message(2), True),
        Deliver(tag(3), C, message(3), False),
    ]


def test_a_delivery_without_acks_takes_a_tag_and_is_not_remembered(
    channel: ConsumerChannel,
) -> None:
    channel.deliver(message(1), R, C, False, True)
    assert channel.next_tag() == tag(2)
    assert not channel.unacked


def test_when_an_instance_has_no_more_tags_nothing_is_delivered(channel: ConsumerChannel) -> None:
    deliver(channel, 1, 2, 3, 4)
    assert channel.next_tag() is None
    with pytest.raises(NotEnabled):
        deliver(channel, 1)


def test_one_tag_names_one_delivery(channel: ConsumerChannel) -> None:
    deliver(channel, 1, 2, 3)
    assert channel.named(tag(2), False) == tags(2)


def test_multiple_names_all_up_to_the_tag(channel: ConsumerChannel) -> None:
    deliver(channel, 1, 2, 3)
    assert channel.named(tag(2), True) == tags(1, 2)


def test_multiple_needs_the_tag_itself(channel: ConsumerChannel) -> None:
    deliver(channel, 1, 2)
    channel.settle(tags(2))
    assert not channel.knows(tag(2), True)
    assert channel.knows(tag(1), True)


def test_tag_zero_means_all_with_multiple_and_nothing_without(channel: ConsumerChannel) -> None:
    assert channel.knows(None, True)
    assert not channel.knows(None, False)
    deliver(channel, 1, 2)
    assert channel.named(None, True) == tags(1, 2)


def test_a_tag_that_was_settled_or_never_given_out_is_unknown(channel: ConsumerChannel) -> None:
    deliver(channel, 1)
    channel.settle(tags(1))
    assert not channel.knows(tag(1), False)
    assert not channel.knows(tag(2), False)


def test_deliveries_are_told_apart_by_process(channel: ConsumerChannel) -> None:
    deliver(channel, 1)
    channel.deliver(message(2), replica(2), C, False, False)
    assert channel.from_process(tags(1, 2), replica(2)) == messages(2)


def test_a_consumer_is_loaded_by_what_it_has_not_settled(channel: ConsumerChannel) -> None:
    deliver(channel, 1, 2)
    deliver(channel, 3, consumer=2)
    assert channel.load(C) == tags(1, 2)
    channel.settle(tags(1))
    assert channel.load(C) == tags(2)


def test_what_a_transaction_has_collected_still_counts(channel: ConsumerChannel) -> None:
    deliver(channel, 1)
    channel.collect(tags(1), False)
    assert not channel.unacked
    assert channel.load(C) == tags(1)
    channel.apply()
    assert not channel.load(C)


def test_a_get_counts_for_no_limit(channel: ConsumerChannel) -> None:
    channel.shared_prefetch = 1
    channel.answer(message(1), R, queue_named(1), False, False)
    assert channel.has_room()
    deliver(channel, 2)
    assert not channel.has_room()


def test_without_a_shared_limit_there_is_always_room(channel: ConsumerChannel) -> None:
    deliver(channel, 1, 2, 3)
    assert channel.has_room()


def test_a_rollback_restores_deliveries_under_their_tags(channel: ConsumerChannel) -> None:
    deliver(channel, 1, 2)
    before = dict(channel.unacked)
    channel.collect(tags(1, 2), True)
    channel.restore()
    assert dict(channel.unacked) == before
    assert not channel.collected
    assert not channel.returning


def test_what_came_from_a_process_that_ended_belongs_to_nobody(channel: ConsumerChannel) -> None:
    deliver(channel, 1)
    channel.deliver(message(2), replica(2), C, False, False)
    channel.orphan({replica(2)})
    assert channel.unacked[tag(1)] == Delivery(message(1), R, C)
    assert channel.unacked[tag(2)] == Delivery(message(2), None, C)
    assert channel.knows(tag(2), False)
    assert not channel.from_process(tags(2), replica(2))


def test_a_new_channel_counts_from_one_again(channel: ConsumerChannel) -> None:
    deliver(channel, 1, 2)
    channel.close()
    assert not channel.unacked
    channel.reopen()
    assert channel.next_tag() == tag(1)


def test_a_subscription_starts_once() -> None:
    started = Subscription(of=queue_named(1))
    started.start(R)
    with pytest.raises(NotEnabled):
        started.start(R)


# -- without an instance --------------------------------------------------------------------------


def test_a_running_program_has_tags_and_messages_without_end() -> None:
    channel = ConsumerChannel()
    for number in range(1, 1001):
        channel.deliver(message(number), R, C, False, False)
        channel.settle(channel.named(tag(number), False))
    assert channel.next_tag() == tag(1001)
    left = (channel.unacked, channel.collected, channel.loads, channel.pushed)
    assert [len(part) for part in left] == [0] * 4


def test_a_running_program_settles_rejects_and_ends_without_bounds() -> None:
    channel = ConsumerChannel()
    deliver(channel, 1, 2, 3)
    channel.deliver(message(4), replica(2), consumer_named(2), False, False)
    assert channel.from_process(tags(1, 4), R) == {message(1)}
    channel.collect(tags(1), False)
    assert channel.kept_from(tags(1), R) == {message(1)}
    channel.orphan({R})
    channel.restore()
    assert channel.named(None, True) == tags(1, 2, 3, 4)
    assert not channel.from_process(tags(1, 2, 3, 4), R)
    channel.close()
    assert not channel.loads


@pytest.mark.parametrize("settling", ["settle", "apply", "close"])
def test_what_is_settled_counts_no_more(channel: ConsumerChannel, settling: str) -> None:
    channel.shared_prefetch = 1
    deliver(channel, 1)
    assert not channel.admits(C, 2)
    channel.shared_prefetch = 2
    assert not channel.admits(C, 1)
    assert channel.admits(C, 2)
    channel.shared_prefetch = 1
    if settling == "settle":
        channel.settle(tags(1))
    elif settling == "apply":
        channel.collect(tags(1), False)
        assert not channel.admits(C, 1)
        channel.apply()
    else:
        channel.close()
    assert channel.admits(C, 1)
