"""How many deliveries a client may have unsettled (F2)."""

from __future__ import annotations

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.limits import Limits
from ackproof.impl.session.session import Session
from pamqp import commands

from tests.impl.consumer_wire import ConsumerWire


@pytest.fixture
def wire() -> ConsumerWire:
    return ConsumerWire().opened(1, 2).with_queue("q").holding("q", *"abcdef")


def count(lines: list[str]) -> int:
    return sum(" deliver " in line for line in lines)


def test_a_consumer_gets_as_many_as_its_limit_and_more_as_it_settles(wire: ConsumerWire) -> None:
    assert wire.qos(2) == ["1 Basic.QosOk"]
    assert wire.consume("q", "c")[1:] == ["1 deliver c 1 a", "1 deliver c 2 b"]
    assert wire.ack(2) == ["1 deliver c 3 c"]
    assert wire.ack(3, multiple=True) == ["1 deliver c 4 d", "1 deliver c 5 e"]


def test_no_limit_is_any_number(wire: ConsumerWire) -> None:
    wire.qos(0)
    assert count(wire.consume("q", "c")) == 6


def test_a_limit_is_for_consumers_that_start_later(wire: ConsumerWire) -> None:
    wire.qos(1)
    wire.consume("q", "early")
    wire.qos(2)
    assert count(wire.consume("q", "late")) == 2
    assert wire.ack(1) == ["1 deliver early 4 d"]


def test_each_consumer_has_the_limit_for_itself(wire: ConsumerWire) -> None:
    wire.qos(2)
    wire.consume("q", "c")
    assert count(wire.consume("q", "d")) == 2


def test_a_shared_limit_is_for_the_whole_channel(wire: ConsumerWire) -> None:
    assert wire.qos(3, shared=True) == ["1 Basic.QosOk"]
    assert count(wire.consume("q", "c")) == 3
    assert count(wire.consume("q", "d")) == 0
    assert wire.ack(1) == ["1 deliver c 4 d"]


def test_a_shared_limit_that_is_reached_holds_back_consumers_without_acks() -> None:
    wire = ConsumerWire().opened().with_queue("q").with_queue("free")
    wire.qos(1, shared=True)
    wire.consume("free", "n", no_ack=True)
    wire.consume("q", "c")
    assert count(wire.publish(1, "free", b"1")) == 1, "it does not count itself"
    assert count(wire.publish(1, "q", b"2")) == 1
    assert count(wire.publish(1, "free", b"3")) == 0
    assert wire.ack(2) == ["1 deliver n 3 3"]


def test_a_shared_limit_does_not_concern_other_channels(wire: ConsumerWire) -> None:
    wire.qos(1, shared=True)
    wire.consume("q", "c")
    assert count(wire.consume("q", "d", channel=2)) == 5


def test_a_consumer_may_have_to_keep_both(wire: ConsumerWire) -> None:
    wire.qos(2)
    wire.qos(3, shared=True)
    assert count(wire.consume("q", "c")) == 2
    assert count(wire.consume("q", "d")) == 1


def test_of_two_without_room_the_one_that_lacked_it_first_is_served_first(
    wire: ConsumerWire,
) -> None:
    wire.qos(2)
    wire.qos(3, shared=True)
    assert count(wire.consume("q", "c")) == 2
    assert wire.consume("q", "d")[1:] == ["1 deliver d 3 c"]
    assert wire.ack(1) == ["1 deliver c 4 d"]
    assert wire.ack(3) == ["1 deliver d 5 e"]


def test_raising_the_shared_limit_delivers_at_once(wire: ConsumerWire) -> None:
    wire.qos(1, shared=True)
    wire.consume("q", "c")
    assert wire.qos(3, shared=True) == ["1 Basic.QosOk", "1 deliver c 2 b", "1 deliver c 3 c"]


def test_a_limit_for_consumers_lifts_the_shared_one(wire: ConsumerWire) -> None:
    wire.qos(1, shared=True)
    wire.consume("q", "c")
    assert count(wire.qos(4)) == 5


def test_consumers_without_acks_have_no_limit(wire: ConsumerWire) -> None:
    wire.qos(1)
    wire.qos(1, shared=True)
    assert count(wire.consume("q", "c", no_ack=True)) == 6


def test_what_was_asked_for_does_not_count(wire: ConsumerWire) -> None:
    wire.qos(1)
    wire.get("q")
    assert count(wire.consume("q", "c")) == 1


def test_rejecting_makes_room_as_well(wire: ConsumerWire) -> None:
    wire.qos(1)
    wire.consume("q", "c")
    assert wire.nack(1, requeue=False) == ["1 deliver c 2 b"]
    assert wire.nack(2) == ["1 deliver c 3 b again"]


def test_limits_in_bytes_are_not_implemented(wire: ConsumerWire) -> None:
    assert wire.say(1, commands.Basic.Qos(prefetch_size=5)) == [
        "0 Connection.Close 540 NOT_IMPLEMENTED - prefetch_size!=0 (5)"
    ]


def test_a_broker_keeps_only_so_many_unsettled_for_any_client(wire: ConsumerWire) -> None:
    wire.session.channels[1].consuming.most = 3
    assert count(wire.consume("q", "c")) == 3
    assert wire.get("q", channel=2) == ["2 get-ok 1 d +2"]
    assert wire.ack(2) == ["1 deliver c 4 e"]
    (line,) = wire.get("q")
    assert line.startswith("1 Channel.Close 406 PRECONDITION_FAILED - 3 deliveries on this channel")


def test_who_does_not_ack_may_have_any_number(wire: ConsumerWire) -> None:
    wire.session.channels[1].consuming.most = 1
    wire.get("q")
    assert count(wire.consume("q", "c", no_ack=True)) == 5


def test_how_many_those_are_is_a_limit_of_the_broker() -> None:
    session = Session(Broker(), limits=Limits(unacked=7))
    wire = ConsumerWire(session.broker)
    wire.session = session
    assert wire.opened().session.channels[1].consuming.most == 7
