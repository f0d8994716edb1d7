"""Consumers come, take turns, get what is theirs, and go (F2, F3, B3, B7, B8)."""

from __future__ import annotations

from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.session.session import Session
from pamqp import commands, frame

from tests.impl.clients import encode
from tests.impl.consumer_wire import ConsumerWire


@pytest.fixture
def wire() -> ConsumerWire:
    return ConsumerWire().opened().with_queue("q")


def another(wire: ConsumerWire, *channels: int) -> ConsumerWire:
    """Return a second connection to the same broker."""
    return ConsumerWire(wire.broker).opened(*channels)


# -- starting and stopping ------------------------------------------------------------------------


def test_a_consumer_gets_what_is_there_and_what_comes(wire: ConsumerWire) -> None:
    wire.holding("q", "a", "b")
    assert wire.consume("q", "c") == ["1 Basic.ConsumeOk c", "1 deliver c 1 a", "1 deliver c 2 b"]
    assert wire.publish(1, "q", b"d") == ["1 deliver c 3 d"]


def test_a_consumer_without_a_tag_gets_one(wire: ConsumerWire) -> None:
    (line,) = wire.consume("q")
    assert line.startswith("1 Basic.ConsumeOk amq.ctag-")
    assert len(line.removeprefix("1 Basic.ConsumeOk amq.ctag-")) == 22


def test_no_name_stands_for_the_queue_that_was_declared_last(wire: ConsumerWire) -> None:
    assert wire.consume("", "c") == ["1 Basic.ConsumeOk c"]
    assert len(wire.broker.queues["q"].consumers) == 1


def test_nowait_is_not_answered(wire: ConsumerWire) -> None:
    assert wire.consume("q", "c", nowait=True) == []
    assert wire.say(1, commands.Basic.Cancel("c", nowait=True)) == []
    assert not wire.broker.queues["q"].consumers


def test_a_tag_that_is_in_use_closes_the_connection(wire: ConsumerWire) -> None:
    wire.consume("q", "c")
    assert wire.consume("q", "c") == [
        "0 Connection.Close 530 NOT_ALLOWED - attempt to reuse consumer tag 'c'"
    ]


def test_a_queue_that_is_not_there_closes_the_channel(wire: ConsumerWire) -> None:
    assert wire.consume("x") == ["1 Channel.Close 404 NOT_FOUND - no queue 'x' in vhost '/'"]


def test_a_cancelled_consumer_gets_nothing_more_and_may_settle(wire: ConsumerWire) -> None:
    wire.consume("q", "c")
    wire.holding("q", "a")
    assert wire.say(1, commands.Basic.Cancel("c")) == ["1 Basic.CancelOk c"]
    assert wire.publish(1, "q", b"b") == []
    assert wire.ack(1) == []
    assert wire.ready("q") == 1


def test_cancelling_a_consumer_that_is_not_there_is_answered(wire: ConsumerWire) -> None:
    assert wire.say(1, commands.Basic.Cancel("x")) == ["1 Basic.CancelOk x"]


def test_a_tag_can_be_used_again_after_its_consumer_was_cancelled(wire: ConsumerWire) -> None:
    wire.qos(1)
    wire.consume("q", "c")
    wire.holding("q", "a", "b")
    wire.say(1, commands.Basic.Cancel("c"))
    assert wire.consume("q", "c") == ["1 Basic.ConsumeOk c", "1 deliver c 2 b"]


# -- turns ----------------------------------------------------------------------------------------


def test_consumers_take_turns(wire: ConsumerWire) -> None:
    wire.consume("q", "c")
    wire.consume("q", "d")
    told = [wire.publish(1, "q", text) for text in (b"1", b"2", b"3", b"4")]
    assert [line.split()[2] for (line,) in told] == ["c", "d", "c", "d"]


def test_the_highest_priority_is_served_as_long_as_it_has_room(wire: ConsumerWire) -> None:
    wire.qos(1)
    wire.consume("q", "low", priority=-1)
    wire.consume("q", "usual")
    wire.consume("q", "high", priority=5)
    told = [line for text in (b"1", b"2", b"3") for line in wire.publish(1, "q", text)]
    assert [line.split()[2] for line in told] == ["high", "usual", "low"]
    wire.holding("q", "4")
    assert wire.ack(2) == ["1 deliver usual 4 4"]


def test_a_priority_is_a_number(wire: ConsumerWire) -> None:
    (line,) = wire.consume("q", priority="high")
    assert line.startswith("1 Channel.Close 406 PRECONDITION_FAILED - invalid arg 'x-priority'")


def test_a_consumer_without_room_does_not_keep_others_from_theirs(wire: ConsumerWire) -> None:
    other = another(wire)
    other.qos(1)
    other.consume("q", "narrow")
    wire.consume("q", "wide")
    wire.holding("q", "1", "2", "3", "4")
    assert other.hear() == ["1 deliver narrow 1 1"]
    assert wire.ready("q") == 0


# -- exclusivity ----------------------------------------------------------------------------------

IN_USE = "1 Channel.Close 403 ACCESS_REFUSED - queue 'q' in vhost '/' in exclusive use"


def test_an_exclusive_consumer_is_alone(wire: ConsumerWire) -> None:
    wire.consume("q", "c", exclusive=True)
    assert another(wire).consume("q") == [IN_USE]


def test_where_others_are_nobody_is_exclusive(wire: ConsumerWire) -> None:
    wire.consume("q", "c")
    assert another(wire).consume("q", exclusive=True) == [IN_USE]


def test_an_exclusive_consumer_makes_room_when_it_goes(wire: ConsumerWire) -> None:
    wire.consume("q", "c", exclusive=True)
    wire.say(1, commands.Basic.Cancel("c"))
    assert another(wire).consume("q", "d") == ["1 Basic.ConsumeOk d"]


# -- one at a time --------------------------------------------------------------------------------


@pytest.fixture
def single(wire: ConsumerWire) -> ConsumerWire:
    """A connection to a broker with a queue `s` that serves one consumer at a time."""
    arguments: Any = {"x-single-active-consumer": True}
    wire.say(1, commands.Queue.Declare(queue="s", arguments=arguments))
    return wire


def test_of_several_consumers_the_first_is_served_until_it_goes(single: ConsumerWire) -> None:
    other = another(single)
    other.consume("s", "first")
    single.consume("s", "second", priority=9)
    single.holding("s", "a", "b")
    assert other.hear() == ["1 deliver first 1 a", "1 deliver first 2 b"]
    other.say(1, commands.Basic.Cancel("first"))
    assert single.publish(1, "s", b"d") == ["1 deliver second 1 d"]


def test_nobody_steps_in_for_one_that_has_no_room(single: ConsumerWire) -> None:
    single.qos(1)
    single.consume("s", "first")
    single.consume("s", "second")
    single.holding("s", "a", "b")
    assert single.ready("s") == 1
    assert single.ack(1) == ["1 deliver first 2 b"]


def test_where_one_is_served_at_a_time_nobody_is_exclusive(single: ConsumerWire) -> None:
    (line,) = single.consume("s", exclusive=True)
    assert line == IN_USE.replace("'q'", "'s'")


# -- without acks ---------------------------------------------------------------------------------


def test_without_acks_a_delivery_is_consumption(wire: ConsumerWire) -> None:
    wire.holding("q", "a")
    assert wire.consume("q", "c", no_ack=True)[1:] == ["1 deliver c 1 a"]
    assert wire.say(1, commands.Queue.Declare(queue="q", passive=True)) == ["1 Queue.DeclareOk q 0"]
    assert wire.ack(1) == ["1 Channel.Close 406 PRECONDITION_FAILED - unknown delivery tag 1"]


def test_a_message_to_a_waiting_consumer_without_acks_passes_the_disk_by(
    wire: ConsumerWire,
) -> None:
    wire.confirming()
    wire.consume("q", "c", no_ack=True)
    wire.commit()
    assert sorted(wire.publish(1, "q", b"a")) == ["1 ack 1", "1 deliver c 1 a"]
    assert not wire.broker.journal.pending


def test_a_message_that_is_acked_before_it_is_written_needs_no_disk(wire: ConsumerWire) -> None:
    wire.confirming()
    wire.consume("q", "c")
    assert wire.publish(1, "q", b"a") == ["1 deliver c 1 a"]
    assert wire.ack(1) == ["1 ack 1"]
    batch = wire.broker.journal.take()
    assert not batch.messages
    assert not batch.removed


def test_a_message_that_a_consumer_has_is_still_confirmed_by_the_disk(wire: ConsumerWire) -> None:
    wire.confirming()
    wire.consume("q", "c")
    wire.publish(1, "q", b"a")
    assert wire.commit() == ["1 ack 1"]


# -- ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["channel", "connection", "socket"])
def test_what_was_not_settled_comes_back_when_the_consumer_is_gone(
    wire: ConsumerWire, end: str
) -> None:
    other = another(wire, 1, 2)
    other.consume("q", "c")
    wire.holding("q", "a", "b")
    other.ack(1)
    if end == "channel":
        assert other.say(1, commands.Channel.Close(200, "", 0, 0)) == ["1 Channel.CloseOk"]
    elif end == "connection":
        other.say(0, commands.Connection.Close(200, "", 0, 0))
    else:
        other.session.connection_lost()
    assert wire.consume("q", "d")[1:] == ["1 deliver d 1 b again"]


def test_consumers_of_a_deleted_queue_are_told(wire: ConsumerWire) -> None:
    other = another(wire)
    other.consume("q", "c")
    wire.say(1, commands.Queue.Delete(queue="q"))
    assert other.hear() == ["1 Basic.Cancel c"]


def test_who_deletes_a_queue_hears_of_that_first(wire: ConsumerWire) -> None:
    wire.consume("q", "c")
    assert wire.say(1, commands.Queue.Delete(queue="q")) == []
    assert wire.commit() == ["1 Queue.DeleteOk", "1 Basic.Cancel c"]


def test_a_client_that_does_not_know_of_cancelling_is_not_told(wire: ConsumerWire) -> None:
    other = ConsumerWire(wire.broker, wants_cancels=False).opened()
    other.consume("q", "c")
    wire.say(1, commands.Queue.Delete(queue="q"))
    assert other.hear() == []
    assert other.consume("q", "c")[0].startswith("1 Channel.Close 404")


def test_what_a_client_can_do_is_in_its_properties() -> None:
    session = Session(Broker())
    session.receive(b"AMQP\x00\x00\x09\x01")
    wire = ConsumerWire(session.broker)
    wire.session = session
    able: Any = {"capabilities": {"consumer_cancel_notify": True}}
    wire.say(0, commands.Connection.StartOk(able, "PLAIN", "\0guest\0guest", "en_US"))
    assert session.wants_cancels


def test_consumers_of_a_crashed_queue_are_told_and_may_come_back(wire: ConsumerWire) -> None:
    wire.holding("q", "a")
    wire.commit()
    wire.consume("q", "c")
    wire.broker.crash_queue("q")
    assert wire.hear() == ["1 Basic.Cancel c"]
    assert wire.consume("q", "c") == ["1 Basic.ConsumeOk c", "1 deliver c 2 a again"]


def test_what_a_dead_process_handed_out_can_be_settled_and_nobody_hears(
    wire: ConsumerWire,
) -> None:
    wire.holding("q", "a")
    wire.commit()
    wire.consume("q", "c")
    wire.broker.crash_queue("q")
    assert wire.ack(1) == ["1 Basic.Cancel c"]
    assert wire.ready("q") == 1
    assert wire.ack(1) == ["1 Channel.Close 406 PRECONDITION_FAILED - unknown delivery tag 1"]


def test_an_auto_delete_queue_goes_with_its_last_consumer(wire: ConsumerWire) -> None:
    wire.say(1, commands.Queue.Declare(queue="temporary", auto_delete=True))
    other = another(wire)
    wire.consume("temporary", "c")
    other.consume("temporary", "d")
    wire.say(1, commands.Basic.Cancel("c"))
    assert "temporary" in wire.broker.queues
    other.session.connection_lost()
    assert "temporary" not in wire.broker.queues


def test_an_auto_delete_queue_that_had_no_consumer_stays(wire: ConsumerWire) -> None:
    wire.say(1, commands.Queue.Declare(queue="temporary", auto_delete=True))
    wire.session.connection_lost()
    assert "temporary" in wire.broker.queues


# -- what queues say of their consumers -----------------------------------------------------------


def test_declaring_tells_how_many_messages_and_consumers_there_are(wire: ConsumerWire) -> None:
    wire.qos(1)
    wire.consume("q", "c")
    wire.holding("q", "a", "b", "d")
    wire.session.receive(encode(1, commands.Queue.Declare(queue="q", passive=True)))
    answer = _decoded(wire)
    assert (answer.message_count, answer.consumer_count) == (2, 1)


def test_a_queue_in_use_is_not_deleted_if_it_was_not_to_be(wire: ConsumerWire) -> None:
    wire.consume("q", "c")
    assert wire.say(1, commands.Queue.Delete(queue="q", if_unused=True)) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - queue 'q' in vhost '/' in use"
    ]


def test_purging_spares_what_consumers_have(wire: ConsumerWire) -> None:
    wire.qos(1)
    wire.consume("q", "c")
    wire.holding("q", "a", "b", "d")
    wire.say(1, commands.Queue.Purge(queue="q"))
    assert wire.nack(1) == ["1 deliver c 2 a again"]


# -- who does not read ----------------------------------------------------------------------------


def test_who_does_not_read_is_not_delivered_to(wire: ConsumerWire) -> None:
    other = another(wire)
    other.consume("q", "slow")
    other.session.clogged = True
    wire.holding("q", "a")
    assert other.hear() == []
    other.session.unclog()
    assert other.hear() == ["1 deliver slow 1 a"]


def test_what_waits_to_be_written_is_bounded(wire: ConsumerWire) -> None:
    for _ in range(24):
        wire.publish(1, "q", bytes(100_000))
    other = another(wire)
    other.session.receive(encode(1, commands.Basic.Consume(queue="q", consumer_tag="c")))
    wire.broker.run(idle=True)
    assert wire.ready("q") == 21
    assert 300_000 <= len(other.session.take_output()) < 400_000
    wire.broker.run(idle=True)
    assert wire.ready("q") == 18


def test_the_slow_do_not_keep_messages_from_the_quick(wire: ConsumerWire) -> None:
    other = another(wire)
    other.consume("q", "slow")
    other.session.clogged = True
    wire.consume("q", "quick")
    told = [line for text in (b"a", b"b") for line in wire.publish(1, "q", text)]
    assert told == ["1 deliver quick 1 a", "1 deliver quick 2 b"]


def _decoded(wire: ConsumerWire) -> commands.Queue.DeclareOk:
    answer = frame.unmarshal(wire.session.take_output())[2]
    assert isinstance(answer, commands.Queue.DeclareOk)
    return answer
