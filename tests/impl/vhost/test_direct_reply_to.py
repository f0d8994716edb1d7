"""Direct reply-to: answers that go to a waiting client without a queue."""

from __future__ import annotations

import pytest
from ackproof.impl.errors import SoftError
from ackproof.impl.vhost.direct_reply_to import (
    PSEUDO_QUEUE,
    ReplyConsumer,
    addressed,
    asks_for_reply,
)
from ackproof.impl.wire.content import Message
from pamqp import body, commands, header

from tests.impl.clients import content
from tests.impl.consumer_wire import ConsumerWire

REPLIES = commands.Basic.Consume(queue=PSEUDO_QUEUE, consumer_tag="c", no_ack=True)


def message(properties: commands.Basic.Properties) -> Message:
    payload = header.ContentHeader(0, 0, properties).marshal()
    return Message("", ("q",), False, False, payload, b"")


def waiting() -> tuple[ConsumerWire, str]:
    """Open a client that waits for answers; return it, and the name that stands for it."""
    wire = ConsumerWire().opened().with_queue("q")
    assert wire.say(1, REPLIES) == ["1 Basic.ConsumeOk c"]
    consumer = wire.session.channels[1].reply_consumer
    assert consumer is not None
    return wire, consumer.name


def asking(queue: str) -> list[str]:
    """Publish a request; return what the broker says."""
    wire, _ = waiting()
    properties = commands.Basic.Properties(reply_to=PSEUDO_QUEUE)
    request = (
        commands.Basic.Publish(routing_key=queue),
        header.ContentHeader(0, 1, properties),
        body.ContentBody(b"?"),
    )
    return wire.say(1, *request)


# -- requests -------------------------------------------------------------------------------------


def test_a_request_gets_the_name_of_who_waits_and_keeps_all_else() -> None:
    asked = message(
        commands.Basic.Properties(
            headers={"n": 1}, reply_to=PSEUDO_QUEUE, correlation_id="7", delivery_mode=2
        )
    )
    assert asks_for_reply(asked.properties)
    named = addressed(asked, ReplyConsumer("c", f"{PSEUDO_QUEUE}.x", print)).properties
    expected = commands.Basic.Properties(
        headers={"n": 1}, reply_to=f"{PSEUDO_QUEUE}.x", correlation_id="7", delivery_mode=2
    )
    assert named == header.ContentHeader(0, 0, expected).marshal()


@pytest.mark.parametrize(
    "properties",
    [
        commands.Basic.Properties(),
        commands.Basic.Properties(reply_to="elsewhere"),
        commands.Basic.Properties(reply_to=f"{PSEUDO_QUEUE}.x"),
        commands.Basic.Properties(correlation_id=PSEUDO_QUEUE),
    ],
)
def test_other_messages_are_left_alone(properties: commands.Basic.Properties) -> None:
    assert not asks_for_reply(message(properties).properties)


def test_a_request_where_nobody_waits_is_refused() -> None:
    with pytest.raises(SoftError, match="fast reply consumer does not exist"):
        addressed(message(commands.Basic.Properties(reply_to=PSEUDO_QUEUE)), None)


def test_a_request_is_published_as_any_other() -> None:
    assert asking("q") == []


# -- answers --------------------------------------------------------------------------------------


def test_an_answer_is_delivered_at_once() -> None:
    wire, name = waiting()
    assert wire.publish(1, name, b"yes") == ["1 deliver c 1 yes"]


def test_answers_take_no_delivery_tag() -> None:
    wire, name = waiting()
    wire.publish(1, name, b"one")
    wire.publish(1, "q", b"x")
    assert wire.get("q") == ["1 get-ok 1 x +0"]
    assert wire.publish(1, name, b"two") == ["1 deliver c 2 two"]


def test_an_answer_comes_from_any_connection() -> None:
    wire, name = waiting()
    other = ConsumerWire(wire.broker).opened()
    assert other.publish(1, name, b"from afar") == []
    assert wire.hear() == ["1 deliver c 1 from afar"]


def test_an_answer_counts_as_unrouted() -> None:
    wire, name = waiting()
    other = ConsumerWire(wire.broker).opened().confirming()
    told = other.publish(1, name, b"!", mandatory=True)
    assert told[0] == f"1 return 312 {name}"
    assert told[-1] == "1 ack 1"
    assert wire.hear() == ["1 deliver c 1 !"]


def test_a_queue_and_who_waits_get_the_same_copy() -> None:
    wire, name = waiting()
    assert wire.say(1, *content("q", b"both", headers={"CC": [name]})) == ["1 deliver c 1 both"]
    assert wire.ready("q") == 1


def test_a_dead_letter_can_be_an_answer() -> None:
    wire, name = waiting()
    arguments = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": name}
    wire.say(1, commands.Queue.Declare(queue="d", arguments=arguments))  # type: ignore[arg-type]
    wire.publish(1, "d", b"dead")
    wire.get("d")
    assert wire.nack(1, requeue=False) == ["1 deliver c 2 dead"]


# -- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "end",
    [
        (1, commands.Basic.Cancel("c")),
        (1, commands.Channel.Close(200, "bye", 0, 0)),
        (1, commands.Basic.Ack(99)),
        (0, commands.Connection.Close(200, "bye", 0, 0)),
    ],
    ids=["cancel", "close", "error", "close of the connection"],
)
def test_nobody_waits_after(end: tuple[int, commands.Basic.Cancel]) -> None:
    wire, name = waiting()
    wire.say(end[0], end[1])
    other = ConsumerWire(wire.broker).opened().confirming()
    assert other.publish(1, name, b"too late") == ["1 ack 1"]
    assert wire.hear() == []
    assert not wire.broker.replies


def test_nobody_waits_when_the_connection_is_lost() -> None:
    wire, _ = waiting()
    wire.session.connection_lost()
    assert not wire.broker.replies


def test_a_consumer_that_does_not_want_to_hear_of_it_is_not_told() -> None:
    wire = ConsumerWire().opened()
    assert wire.say(1, commands.Basic.Consume(queue=PSEUDO_QUEUE, no_ack=True, nowait=True)) == []
    assert len(wire.broker.replies) == 1
