"""A client asks for one message at a time (F1.1, F2.3, F3.5)."""

from __future__ import annotations

import pytest
from pamqp import body, commands, frame, header

from tests.impl.clients import encode
from tests.impl.consumer_wire import ConsumerWire


@pytest.fixture
def wire() -> ConsumerWire:
    return ConsumerWire().opened().with_queue("q")


def test_there_may_be_nothing_to_get(wire: ConsumerWire) -> None:
    assert wire.get("q") == ["1 Basic.GetEmpty"]


def test_the_oldest_message_is_got_and_the_number_of_others_told(wire: ConsumerWire) -> None:
    wire.holding("q", "a", "b", "c")
    assert wire.get("q") == ["1 get-ok 1 a +2"]
    assert wire.get("q") == ["1 get-ok 2 b +1"]


def test_what_was_got_is_acked_like_a_delivery(wire: ConsumerWire) -> None:
    wire.holding("q", "a")
    wire.get("q")
    assert wire.ack(1) == []
    assert wire.get("q") == ["1 Basic.GetEmpty"]


def test_what_was_got_can_come_back(wire: ConsumerWire) -> None:
    wire.holding("q", "a", "b")
    wire.get("q")
    wire.nack(1)
    assert wire.get("q") == ["1 get-ok 2 a again +1"]


def test_without_acks_getting_is_consuming_and_takes_a_tag(wire: ConsumerWire) -> None:
    wire.holding("q", "a", "b")
    assert wire.get("q", no_ack=True) == ["1 get-ok 1 a +1"]
    assert wire.get("q") == ["1 get-ok 2 b +0"]
    assert wire.ack(1) == ["1 Channel.Close 406 PRECONDITION_FAILED - unknown delivery tag 1"]


def test_limits_do_not_concern_who_asks(wire: ConsumerWire) -> None:
    wire.qos(1, shared=True)
    wire.holding("q", "a", "b", "c")
    told = [*wire.get("q"), *wire.get("q"), *wire.consume("q", "x")]
    assert told[-1] == "1 deliver x 3 c"


def test_an_empty_message_can_be_got(wire: ConsumerWire) -> None:
    wire.holding("q", "")
    assert wire.get("q") == ["1 get-ok 1  +0"]


def test_asking_a_queue_that_is_not_there_closes_the_channel(wire: ConsumerWire) -> None:
    assert wire.get("x") == ["1 Channel.Close 404 NOT_FOUND - no queue 'x' in vhost '/'"]


def test_what_another_connection_has_for_itself_is_not_got(wire: ConsumerWire) -> None:
    wire.say(1, commands.Queue.Declare(queue="mine", exclusive=True))
    (line,) = ConsumerWire(wire.broker).opened().get("mine")
    assert line.startswith("1 Channel.Close 405 RESOURCE_LOCKED - cannot obtain exclusive access")


def test_a_message_that_is_got_comes_with_all_that_it_was_published_with(
    wire: ConsumerWire,
) -> None:
    properties = commands.Basic.Properties(
        content_type="text/plain", headers={"a": 1}, delivery_mode=2, message_id="m", priority=3
    )
    text = bytes(range(256)) * 1000
    wire.say(
        1,
        commands.Basic.Publish(routing_key="q"),
        header.ContentHeader(0, len(text), properties),
        body.ContentBody(text[:131_000]),
        body.ContentBody(text[131_000:]),
    )
    wire.session.receive(encode(1, commands.Basic.Get(queue="q")))
    data, frames = wire.session.take_output(), []
    while data:
        size, _, one = frame.unmarshal(data)
        frames.append(one)
        data = data[size:]
    answer, head, *pieces = frames
    assert isinstance(answer, commands.Basic.GetOk)
    assert (answer.exchange, answer.routing_key, answer.redelivered) == ("", "q", False)
    assert isinstance(head, header.ContentHeader)
    assert dict(head.properties) == dict(properties)
    assert b"".join(piece.value for piece in pieces) == text  # type: ignore[union-attr]
