"""Several channels side by side: what they share, and what is each one's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ackproof.lang import Design, Instance, NotEnabled, Set, handler, helper
from ackproof.lang.properties import stated_by
from ackproof.model.check import check
from ackproof.model.verdict import Verdict
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.eras.rabbitmq_3_7 import design as v37
from ackproof.spec.eras.rabbitmq_3_11 import design as v311
from ackproof.spec.instances import OFF
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Born, ChannelId, Msg, Overflow, Queue, Replica, Status
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack, ChannelClose, CommitOk, Complaint, Nack, Return, RollbackOk

from tests.spec.built import channel_named
from tests.spec.scenario import (
    Scenario,
    message_of,
    mirrored,
    node,
    queue_named,
    replica,
    running,
)

CH1, CH2 = channel_named(1), channel_named(2)
A1, A2, B1 = message_of(CH1, 1), message_of(CH1, 2), message_of(CH2, 1)
Q1, Q2 = queue_named("q1"), queue_named("q2")
R1, R2 = replica("r1"), replica("r2")

Two = tuple[Scenario, Scenario]


@pytest.fixture
def two() -> Iterator[Two]:
    """Two channels and two queues."""
    with running(channels=2) as first:
        yield first, first.on(2)


@pytest.fixture
def pair() -> Iterator[Two]:
    """Two channels and a mirrored queue."""
    with mirrored(channels=2) as first:
        yield first, first.on(2)


@pytest.fixture
def tx() -> Iterator[Two]:
    """Two transactional channels and two queues."""
    with running(channels=2, transactional=True) as first:
        for one in (first, first.on(2)):
            one.system.channel.confirming = False
            one.system.tx_select()
        first.frames.clear()
        yield first, first.on(2)


def arrive(run: Scenario, number: int, name: str = "r1", persistent: bool = True) -> None:
    """Publish a message to a queue whose process it reaches at once."""
    run.publish(number, "q1", persistent=persistent)
    run.deliver(number, name)


# -- one queue, two channels ----------------------------------------------------------------------


def test_each_channel_numbers_its_own_messages(two: Two) -> None:
    first, second = two
    first.publish(1)
    second.publish(1)
    first.publish(2)
    assert first.system.channel.next_seq == message_of(CH1, 3)
    assert second.system.channel.next_seq == message_of(CH2, 2)


@pytest.mark.parametrize("second_first", [False, True])
def test_messages_are_handed_out_in_the_order_of_arrival(two: Two, second_first: bool) -> None:
    one, other = reversed(two) if second_first else two
    arrive(one, 1)
    arrive(other, 1)
    arrive(one, 2)
    expected = [one.message(1), other.message(1), one.message(2)]
    for msg in expected:
        assert one.process("r1").head() == msg
        one.system.take(msg, R1)


def test_which_was_published_first_does_not_count(two: Two) -> None:
    first, second = two
    first.publish(1, "q1")
    second.publish(1, "q1")
    second.deliver(1, "r1")
    first.deliver(1, "r1")
    assert first.process("r1").head() == B1


def test_a_message_that_is_put_back_stands_where_it_stood(two: Two) -> None:
    first, second = two
    arrive(second, 1)
    arrive(first, 1)
    first.system.take(B1, R1)
    first.system.take(A1, R1)
    first.system.requeue(A1, R1)
    assert first.process("r1").head() == A1
    first.system.requeue(B1, R1)
    assert first.process("r1").head() == B1
    with pytest.raises(NotEnabled):
        first.system.take(A1, R1)


def test_a_restarted_queue_has_its_messages_in_the_order_of_arrival(two: Two) -> None:
    first, second = two
    arrive(second, 1)
    arrive(first, 1)
    for msg in (A1, B1):
        first.system.write(msg, R1)
    first.system.crash_queue(R1)
    for one in two:
        one.system.down_arrives(R1)
    first.system.restart(R1)
    assert first.process("r1").head() == B1


def test_of_a_message_that_left_nothing_remains_in_the_order(two: Two) -> None:
    first, second = two
    arrive(second, 1, persistent=False)
    arrive(first, 1, persistent=False)
    first.system.take(B1, R1)
    first.system.acknowledge(B1, R1)
    assert not first.process("r1").order.ahead


def test_a_full_queue_drops_what_came_first_whoever_published_it() -> None:
    with running(queues=("q1",), channels=2, limited=True, max_length=1) as first:
        second = first.on(2)
        arrive(second, 1)
        arrive(first, 1)
        assert first.process("r1").ready == {A1}


def test_two_queues_may_have_two_orders(two: Two) -> None:
    first, second = two
    for one in two:
        one.publish(1, "q1", "q2")
    first.deliver(1, "r1")
    second.deliver(1, "r1", "r2")
    first.deliver(1, "r2")
    assert first.process("r1").head() == A1
    assert first.process("r2").head() == B1


# -- the way back ---------------------------------------------------------------------------------


def test_the_confirms_of_one_process_reach_each_its_own_channel(two: Two) -> None:
    first, second = two
    arrive(first, 1, persistent=False)
    arrive(second, 1, persistent=False)
    assert first.process("r1").outbox == {A1, B1}
    first.system.confirm_arrives(R1)
    assert first.process("r1").outbox == {B1}
    assert first.told() == [Ack(CH1, A1, False)]
    with pytest.raises(NotEnabled):
        second.system.flush()
    second.system.confirm_arrives(R1)
    assert second.told() == [Ack(CH2, B1, False)]
    assert second.system.publisher.confirmed == {B1}
    assert first.system.publisher.confirmed == {A1}


def test_the_rejects_of_one_process_reach_each_its_own_channel() -> None:
    full: dict[str, Any] = {"limited": True, "max_length": 0, "overflow": Overflow.REJECT_PUBLISH}
    with running(queues=("q1",), channels=2, **full) as first:
        second = first.on(2)
        arrive(first, 1)
        arrive(second, 1)
        second.system.reject_arrives(R1)
        assert first.process("r1").refused == {A1}
        assert second.told() == [Nack(CH2, B1, True)]
        assert not first.system.channel.rejected
        first.system.reject_arrives(R1)
        assert first.told() == [Nack(CH1, A1, True)]


def test_multiple_says_nothing_of_another_channels_messages(two: Two) -> None:
    first, second = two
    second.publish(1, "q1")
    for number in (1, 2):
        arrive(first, number, persistent=False)
    first.system.confirm_arrives(R1)
    assert first.told() == [Ack(CH1, A2, True)]
    assert second.system.publisher.unknown() == {B1}


def test_each_channel_hears_of_a_death_after_what_was_sent_to_it(two: Two) -> None:
    first, second = two
    arrive(first, 1, persistent=False)
    second.publish(1, "q1")
    first.system.crash_queue(R1)
    second.system.down_arrives(R1)
    assert second.told() == [Nack(CH2, B1, True)]
    with pytest.raises(NotEnabled):
        first.system.down_arrives(R1)
    first.system.confirm_arrives(R1)
    first.system.down_arrives(R1)
    assert first.told() == [Ack(CH1, A1, False)]


def test_a_process_restarts_when_all_channels_have_heard_of_its_death(two: Two) -> None:
    first, second = two
    first.system.crash_queue(R1)
    first.system.down_arrives(R1)
    with pytest.raises(NotEnabled):
        first.system.restart(R1)
    second.system.down_arrives(R1)
    first.system.restart(R1)
    assert first.process("r1").status == Status.RUNNING


# -- one closes beside another --------------------------------------------------------------------


def test_a_close_leaves_the_other_channel_alone(two: Two) -> None:
    first, second = two
    arrive(first, 1, persistent=False)
    arrive(second, 1, persistent=False)
    first.system.close()
    for one in two:
        one.system.confirm_arrives(R1)
    with pytest.raises(NotEnabled):
        first.system.flush()
    assert second.told() == [Ack(CH2, B1, False)]
    assert first.system.publisher.unknown() == {A1}
    assert first.process("r1").ready == {A1, B1}


def test_a_mirror_keeps_what_it_heard_apart_by_sender(pair: Two) -> None:
    first, second = pair
    for one in pair:
        one.publish(1, "q1")
        one.deliver(1, "r2")
    second.deliver(1, "r1")
    first.deliver(1, "r1")
    second.told_by_master(1, "r2")
    assert first.process("r2").direct == {A1}
    assert set(first.process("r2").seen) == {B1}
    assert first.process("r2").ready == {B1}
    first.told_by_master(1, "r2")
    assert not first.process("r2").direct
    assert first.process("r2").head() == B1


def test_a_mirror_that_one_channel_did_not_call_hears_the_other_one_out() -> None:
    with mirrored((Born.MASTER, Born.LATER), channels=2) as first:
        second = first.on(2)
        first.publish(1, "q1")
        first.system.join(R2, R1)
        first.system.enlist(R2)
        second.publish(1, "q1")
        for one in (first, second):
            one.deliver(1, "r1")
        second.deliver(1, "r2")
        first.told_by_master(1, "r2")
        assert first.process("r2").direct == {B1}
        second.told_by_master(1, "r2")
        second.synced(1, "r2")
        second.synced(1, "r1")
        assert second.told() == [Ack(CH2, B1, False)]


def test_a_mirror_forgets_only_the_copies_of_the_channel_that_closed(pair: Two) -> None:
    first, second = pair
    for one in pair:
        one.publish(1, "q1")
        one.deliver(1, "r2")
    first.system.close()
    with pytest.raises(NotEnabled):
        second.system.forget_sender(R2)
    first.system.forget_sender(R2)
    assert first.process("r2").direct == {B1}
    for one in pair:
        one.deliver(1, "r1")
        one.told_by_master(1, "r2")
    second.synced(1, "r1")
    second.synced(1, "r2")
    assert second.told() == [Ack(CH2, B1, False)]


def test_a_mirror_hears_of_two_channels_in_the_order_of_its_master(pair: Two) -> None:
    first, second = pair
    for one in (second, first):
        one.publish(1, "q1")
        one.deliver(1, "r1")
    with pytest.raises(NotEnabled):
        first.told_by_master(1, "r2")
    second.told_by_master(1, "r2")
    first.told_by_master(1, "r2")
    first.system.lose_node(R1)
    first.system.promote(R2)
    assert first.process("r2").head() == B1


def test_a_promoted_master_takes_in_what_it_had_of_each_channel(pair: Two) -> None:
    first, _ = pair
    for one in pair:
        one.publish(1, "q1")
        one.deliver(1, "r2")
    first.system.lose_node(R1)
    first.system.promote(R2)
    for one in pair:
        one.system.down_arrives(R1)
        assert one.system.casts.next_for(R2) == one.message(1)
        one.stored(1, "r2")
        assert one.told() == [Ack(one.system.of, one.message(1), False)]


def test_a_mirror_that_is_synchronised_gets_the_order_of_its_master() -> None:
    with mirrored((Born.MASTER, Born.LATER), channels=2) as first:
        second = first.on(2)
        arrive(second, 1)
        arrive(first, 1)
        first.system.join(R2, R1)
        first.system.synchronise(R2, R1)
        assert first.process("r2").head() == B1


# -- transactions ---------------------------------------------------------------------------------


def publish_in_tx(run: Scenario, number: int, *queues: str, mandatory: bool = False) -> None:
    targets = set(map(queue_named, queues))
    run.system.publish_in_tx(run.message(number), targets, mandatory, False)


def test_a_commit_takes_its_own_messages_along_and_no_others(tx: Two) -> None:
    first, second = tx
    publish_in_tx(first, 1, "q1")
    publish_in_tx(second, 1, "q1")
    first.system.tx_commit()
    assert first.system.casts.publishes[R1] == {A1}
    assert not second.system.casts.publishes[R1]
    first.deliver(1, "r1")
    first.system.confirm_arrives(R1)
    first.system.complete()
    assert first.frames == [CommitOk(CH1)]
    assert second.system.transaction.batch == {B1}


def test_a_rollback_beside_a_commit_takes_back_its_own(tx: Two) -> None:
    first, second = tx
    publish_in_tx(first, 1, "q1")
    publish_in_tx(second, 1, "q1")
    second.system.tx_rollback()
    first.system.tx_commit()
    assert first.frames == [RollbackOk(CH2)]
    assert first.system.channel.unconfirmed[A1] == {R1}
    assert second.system.transaction.abandoned == {B1}


def test_a_failed_commit_closes_its_own_channel(tx: Two) -> None:
    first, second = tx
    publish_in_tx(first, 1, "q1")
    publish_in_tx(second, 1, "q2")
    for one in tx:
        one.system.tx_commit()
    first.system.lose_node(R1)
    for one in tx:
        one.system.down_arrives(R1)
    first.system.complete()
    assert first.frames == [ChannelClose(CH1, Complaint.PARTIAL_COMPLETION)]
    second.deliver(1, "r2")
    second.system.confirm_arrives(R2)
    second.system.complete()
    assert first.frames[1:] == [CommitOk(CH2)]


def test_one_channel_confirms_beside_a_transactional_one() -> None:
    with running(channels=2, transactional=True) as first:
        second = first.on(2)
        second.system.channel.confirming = False
        second.system.tx_select()
        publish_in_tx(second, 1, "q1")
        arrive(first, 1, persistent=False)
        first.system.confirm_arrives(R1)
        assert first.told() == [Ack(CH1, A1, False)]
        assert not second.system.channel.unconfirmed


# -- what eras add for each channel ---------------------------------------------------------------


def test_in_3_7_each_channel_gets_its_own_receipts() -> None:
    with running(channels=2, design=v37) as first:
        second = first.on(2)
        for one in (first, second):
            one.publish(1, "q1", mandatory=True)
        first.deliver(1, "r1")
        first.system.receipt_arrives(R1)
        with pytest.raises(NotEnabled):
            second.system.receipt_arrives(R1)
        first.frames.clear()
        first.system.crash_queue(R1)
        for one in (first, second):
            one.system.down_arrives(R1)
        assert first.frames == [Return(CH2, B1)]


def test_in_3_7_a_close_forgets_the_mandatory_messages_of_its_channel() -> None:
    with running(channels=2, design=v37) as first:
        second = first.on(2)
        for one in (first, second):
            one.publish(1, "q1", mandatory=True)
        first.system.close()
        assert set(first.system.unreceived) == {B1}


def test_each_channel_remembers_the_guards_answer_for_itself() -> None:
    trio = (Born.LATER, Born.LATER, Born.MASTER)
    with mirrored(trio, nodes=True, channels=2, design=v311) as first:
        second = first.on(2)
        first.publish(1)
        first.system.flush()
        first.publish(2)
        second.publish(1)
        first.system.partition({node("n1"), node("n2")})
        first.system.notice(node("n1"))
        first.system.notice(node("n2"))
        with pytest.raises(NotEnabled):
            first.system.flush()
        assert second.told() == [Ack(CH2, B1, False)]


# -- in every state -------------------------------------------------------------------------------

PAIR = Instance(
    "pair",
    "two channels with a message each, one queue",
    {**OFF, ChannelId: 2, Msg: 1, Queue: 1, Replica: 1},
    {"crash_queue": 1, "close": 1},
    {"QueueProcess.of": "q1"},
)


class Jumping(Arrivals):
    """Lets whoever comes stand before those of other channels."""

    @handler
    def arrive(self, msg: Msg, present: Set[Msg]) -> None:
        """Forget who was there."""
        self.ahead[msg].clear()


class Mixing(Confirms):
    """Takes what a process casts for all channels to be for the one that asks."""

    @helper
    def of_channel(self, msgs: Set[Msg], channel: ChannelId) -> Set[Msg]:
        """Return all of them."""
        return set(msgs)


def test_two_channels_get_what_each_is_promised() -> None:
    report = check(MODEL, PAIR)
    assert report.verdict in (Verdict.VERIFIED, Verdict.UNWITNESSED)
    assert report.outcome.exhausted
    assert not report.outcome.violations


@pytest.mark.parametrize(
    ("design", "name"),
    [
        (Design("", replace=(Jumping,)), "ServedInOrderOfArrival"),
        (Design("", replace=(Mixing,)), "EveryPublishSettles"),
    ],
)
def test_what_mixes_channels_up_is_noticed(design: Design, name: str) -> None:
    found = check(MODEL, PAIR, design, properties=[name]).outcome.violations
    assert [broken for broken in found if stated_by(broken) == name]
