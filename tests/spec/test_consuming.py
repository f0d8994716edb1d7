"""Consumers in the system: who gets what, what settles it, and how it all ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import NotEnabled
from ackproof.model.check import check
from ackproof.model.verdict import Verdict
from ackproof.spec.sorts import Level
from ackproof.spec.wire import (
    Ack,
    Cancel,
    CancelOk,
    ChannelClose,
    Complaint,
    ConsumerAck,
    Deliver,
    GetEmpty,
    GetOk,
    RecoverOk,
)

from tests.spec.built import CH1
from tests.spec.live import (
    Live,
    consumer_named,
    live,
    message,
    messages,
    queue_named,
    replica,
    tag,
)
from tests.spec.mistakes import MISTAKES, MODEL
from tests.spec.mutants_of_steps import IN_STEPS

R = replica(1)
C1 = consumer_named(1)
C2 = consumer_named(2)


@pytest.fixture
def two() -> Iterator[Live]:
    """Two consumers, the first of which takes one message at a time, and two messages."""
    with live(limits=(1, 0)) as running:
        running.system.select()
        running.stored(1, 2)
        running.told()
        yield running


@pytest.fixture
def shared() -> Iterator[Live]:
    """A consumer on the channel of a transactional publisher, and two messages."""
    with live(limits=(0,), shared=True, transactional=True) as running:
        running.system.tx_select()
        running.publish(1, 1)
        running.publish(2, 1)
        running.system.tx_commit()
        for number in (1, 2):
            running.system.deliver(message(number), R)
        running.system.confirm_arrives(R)
        running.system.complete()
        running.told()
        yield running


# -- delivering -----------------------------------------------------------------------------------


def test_the_oldest_message_goes_first(two: Live) -> None:
    with pytest.raises(NotEnabled):
        two.hand_out(2)
    two.hand_out(1)
    assert two.told() == [Deliver(tag(1), C1, message(1), False)]


def test_a_consumer_at_its_limit_waits_and_another_one_does_not(two: Live) -> None:
    two.hand_out(1)
    with pytest.raises(NotEnabled):
        two.hand_out(2)
    two.hand_out(2, consumer=2)


def test_an_ack_makes_room(two: Live) -> None:
    two.hand_out(1)
    two.system.consumer_acks(tag(1), False)
    two.hand_out(2)


def test_the_shared_limit_holds_for_all_consumers_together() -> None:
    with live(limits=(0, 0)) as running:
        running.system.consuming.shared_prefetch = 1
        running.system.select()
        running.stored(1, 2)
        running.hand_out(1)
        with pytest.raises(NotEnabled):
            running.hand_out(2, consumer=2)


def test_a_consumer_without_acks_knows_no_limit_and_consumes_by_getting() -> None:
    with live(limits=(1,), no_ack=(1,)) as running:
        running.system.select()
        running.stored(1, 2)
        running.hand_out(1)
        running.hand_out(2)
        assert not running.queue().holds()
        assert not running.system.consuming.unacked
        assert not running.system.holders[message(1)]


def test_a_message_goes_past_an_empty_queue_to_a_consumer_without_acks() -> None:
    with live(limits=(0,), no_ack=(1,)) as running:
        running.system.select()
        running.publish(1, 1, persistent=True)
        running.told()
        running.system.hand_on(message(1), R, C1)
        assert running.told() == [Deliver(tag(1), C1, message(1), False)]
        assert running.queue().outbox == messages(1)
        assert not running.queue().store.level


def test_a_consumer_with_acks_gets_what_the_queue_has_no_room_for() -> None:
    with live() as running:
        running.queue().limited, running.queue().max_length = True, 0
        running.system.select()
        running.publish(1, 1, persistent=True)
        running.told()
        running.system.hand_on(message(1), R, C1)
        assert running.told() == [Deliver(tag(1), C1, message(1), False)]
        assert running.queue().pending == messages(1)
        assert running.queue().store.level[message(1)] == Level.BUFFERED
        running.publish(2, 1)
        running.system.deliver(message(2), R)
        assert not running.queue().ready


def test_one_with_acks_takes_nothing_past_a_queue_that_has_room() -> None:
    with live() as running:
        running.system.select()
        running.publish(1, 1)
        with pytest.raises(NotEnabled):
            running.system.hand_on(message(1), R, C1)


def test_a_get_ignores_the_limit_and_takes_a_tag(two: Live) -> None:
    two.hand_out(1)
    two.system.get(message(2), R, False)
    assert two.told()[1] == GetOk(CH1, tag(2), queue_named(1), message(2), False)
    assert two.queue().pending == messages(1, 2)


def test_a_get_from_an_empty_queue_is_answered_so() -> None:
    with live() as running:
        running.system.get_empty(R)
        assert running.told() == [GetEmpty(CH1, queue_named(1))]


def test_a_cancelled_consumer_gets_nothing_and_may_settle_what_it_has(two: Live) -> None:
    two.hand_out(1, consumer=2)
    two.system.cancel(C2)
    assert two.told()[-1] == CancelOk(C2)
    with pytest.raises(NotEnabled):
        two.hand_out(2, consumer=2)
    two.system.consumer_acks(tag(1), False)
    assert two.queue().holds() == messages(2)


# -- settling -------------------------------------------------------------------------------------


def test_an_ack_with_multiple_consumes_all_up_to_its_tag(two: Live) -> None:
    two.hand_out(1, consumer=2)
    two.hand_out(2, consumer=2)
    two.system.consumer_acks(tag(2), True)
    assert not two.queue().holds()
    assert not two.system.consuming.unacked


def test_a_rejected_message_is_consumed_unless_it_is_to_come_back(two: Live) -> None:
    two.hand_out(1, consumer=2)
    two.hand_out(2, consumer=2)
    two.system.consumer_rejects(tag(1), False, False)
    two.system.consumer_rejects(tag(2), False, True)
    assert two.queue().ready == messages(2)
    assert not two.queue().pending


def test_what_comes_back_stands_first_and_is_marked(two: Live) -> None:
    two.hand_out(1)
    two.system.consumer_rejects(tag(1), False, True)
    two.told()
    two.hand_out(1, consumer=2)
    assert two.told() == [Deliver(tag(2), C2, message(1), True)]


def test_recovering_puts_everything_back(two: Live) -> None:
    two.hand_out(1)
    two.system.get(message(2), R, False)
    two.told()
    two.system.recover()
    assert two.told() == [RecoverOk(CH1)]
    assert two.queue().ready == messages(1, 2)
    assert not two.system.consuming.unacked


def test_several_that_come_back_to_a_limited_queue_make_the_oldest_go() -> None:
    with live(limits=(0,)) as running:
        running.system.select()
        running.queue().limited = True
        running.queue().max_length = 1
        for number in (1, 2, 3):
            running.stored(number)
            running.hand_out(number)
        running.system.consumer_rejects(None, True, True)
        assert running.queue().ready == messages(3)
        assert not running.system.holders[message(1)]
        assert not running.system.holders[message(2)]


@pytest.mark.parametrize(("number", "multiple"), [(1, False), (2, True), (None, False)])
def test_an_unknown_tag_closes_the_channel_and_settles_nothing(
    two: Live, number: int | None, multiple: bool
) -> None:
    two.hand_out(1, consumer=2)
    two.hand_out(2, consumer=2)
    two.system.consumer_acks(tag(2), False)
    two.system.consumer_acks(tag(1), False)
    two.publish(3, 1)
    two.system.deliver(message(3), R)
    two.hand_out(3)
    two.told()
    named = None if number is None else tag(number)
    two.system.ack_unknown(named, multiple)
    assert two.told() == [
        ConsumerAck(CH1, named, multiple),
        ChannelClose(CH1, Complaint.UNKNOWN_TAG),
    ]
    assert two.queue().ready == messages(3)
    assert not two.system.consuming.open
    assert two.system.channel.open


def test_an_unknown_tag_on_a_shared_channel_silences_confirms() -> None:
    with live(limits=(0,), shared=True) as running:
        running.system.select()
        running.stored(1)
        running.system.confirm_arrives(R)
        running.told()
        running.system.ack_unknown(tag(1), False)
        with pytest.raises(NotEnabled):
            running.system.flush()
        assert not any(isinstance(frame, Ack) for frame in running.told())


# -- in a transaction -----------------------------------------------------------------------------


def test_an_ack_in_a_transaction_takes_effect_at_the_commit(shared: Live) -> None:
    shared.hand_out(1)
    shared.system.consumer_acks(tag(1), False)
    assert shared.queue().pending == messages(1)
    shared.system.tx_commit()
    assert not shared.queue().pending
    assert not shared.system.consuming.collected


def test_a_rejected_message_comes_back_at_the_commit(shared: Live) -> None:
    shared.hand_out(1)
    shared.hand_out(2)
    shared.system.consumer_rejects(tag(1), False, True)
    shared.system.consumer_acks(tag(2), False)
    shared.system.tx_commit()
    assert shared.queue().holds() == messages(1)
    assert shared.queue().ready == messages(1)


def test_after_a_rollback_the_same_tag_is_to_be_acked_again(shared: Live) -> None:
    shared.hand_out(1)
    shared.system.consumer_acks(tag(1), False)
    shared.system.tx_rollback()
    shared.system.consumer_acks(tag(1), False)
    shared.system.tx_commit()
    assert shared.queue().holds() == messages(2)


def test_a_close_requeues_what_was_acked_in_the_open_transaction(shared: Live) -> None:
    shared.hand_out(1)
    shared.system.consumer_acks(tag(1), False)
    shared.system.close()
    assert shared.queue().ready == messages(1, 2)
    assert not shared.system.consuming.open


# -- ending ---------------------------------------------------------------------------------------


def test_what_a_closed_channel_held_is_delivered_again_on_a_new_one(two: Live) -> None:
    two.hand_out(1)
    two.system.close_consumers()
    assert two.queue().ready == messages(1, 2)
    two.system.reopen()
    two.system.consume(C2, R)
    two.told()
    two.hand_out(1, consumer=2)
    assert two.told() == [Deliver(tag(1), C2, message(1), True)]


def test_consumers_on_their_own_channel_survive_the_publishers(two: Live) -> None:
    two.hand_out(1)
    two.system.close()
    two.system.consumer_acks(tag(1), False)
    assert two.queue().holds() == messages(2)


def test_the_consumers_of_a_deleted_queue_are_told_and_may_still_ack(two: Live) -> None:
    two.hand_out(1)
    two.told()
    two.system.delete_queue(queue_named(1))
    assert two.told() == [Cancel(C1), Cancel(C2)]
    two.system.consumer_acks(tag(1), False)
    assert two.system.consuming.open


def test_an_ack_for_a_former_process_leaves_the_new_one_alone() -> None:
    with live(limits=(0,)) as running:
        running.system.select()
        running.publish(1, 1, persistent=True)
        running.system.deliver(message(1), R)
        running.system.write(message(1), R)
        running.hand_out(1)
        running.system.crash_queue(R)
        running.system.down_arrives(R)
        running.system.restart(R)
        running.system.consume(C1, R)
        running.told()
        running.hand_out(1)
        assert running.told() == [Deliver(tag(2), C1, message(1), True)]
        running.system.consumer_acks(tag(1), False)
        assert running.queue().pending == messages(1)
        running.system.consumer_acks(tag(2), False)
        assert not running.queue().holds()


def test_where_consumers_are_off_nothing_is_consumed() -> None:
    with live(limits=()) as running:
        running.system.tagged = False
        with pytest.raises(NotEnabled):
            running.system.get_empty(R)


@pytest.mark.parametrize("name", ["tags", "limit", "one"])
def test_consumers_get_what_they_are_promised(name: str) -> None:
    instance = MODEL.instance(name)
    assert instance is not None
    report = check(MODEL, instance)
    assert report.verdict == Verdict.VERIFIED
    assert report.outcome.states == instance.states


@pytest.mark.parametrize("name", [n for n, (_, where) in MISTAKES.items() if where != "small"])
def test_a_mistake_breaks_the_property_that_is_there_to_find_it(name: str) -> None:
    design, where = MISTAKES[name]
    instance = MODEL.instance(where)
    assert instance is not None
    assert name in check(MODEL, instance, design, properties=[name]).outcome.violations


def test_every_property_is_broken_by_a_mistake() -> None:
    claims = {p.name for p in MODEL.properties if p.kind != "reachable"}
    assert claims == set(MISTAKES) | (claims & {prop for _, prop, _ in IN_STEPS.values()})
