"""Publishing with `immediate`: refused, or as it was before RabbitMQ 3.0."""

from __future__ import annotations

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.running import RunningBroker
from ackproof.impl.steps.seeded import Seeded
from pamqp import body, commands, frame, header

from tests.exploring import seeds
from tests.impl.clients import content, encode
from tests.impl.consumer_wire import ConsumerWire
from tests.impl.sockets import Bare


def immediate(
    key: str, text: bytes = b"now", *, exchange: str = "", mandatory: bool = False
) -> tuple[frame.FrameTypes, ...]:
    publish = commands.Basic.Publish(
        exchange=exchange, routing_key=key, mandatory=mandatory, immediate=True
    )
    properties = commands.Basic.Properties(delivery_mode=2)
    return publish, header.ContentHeader(0, len(text), properties), body.ContentBody(text)


def old(seed: int | None = None) -> ConsumerWire:
    """Open a confirming client of a broker that does what is asked for."""
    broker = Broker() if seed is None else Broker(Seeded(seed))
    broker.immediate = True
    return ConsumerWire(broker).opened(1, 2).confirming().with_queue("q")


def returned(key: str, code: int, text: str = "now") -> list[str]:
    return [f"1 return {code} {key}", f"1 header {len(text)}", f"1 body {text.encode()!r}"]


# -- as it is -------------------------------------------------------------------------------------


def test_it_is_refused_if_nobody_has_asked_for_it() -> None:
    told = ConsumerWire().opened().say(1, *immediate("q"))
    assert told == ["0 Connection.Close 540 NOT_IMPLEMENTED - immediate=true"]


def test_it_is_refused_in_a_transaction() -> None:
    wire = old()
    wire.say(2, commands.Tx.Select())
    told = wire.say(2, *immediate("q"))
    assert told == ["0 Connection.Close 540 NOT_IMPLEMENTED - immediate=true"]


# -- as it was ------------------------------------------------------------------------------------


def test_a_message_that_nobody_waits_for_is_returned_and_then_acked() -> None:
    wire = old()
    assert wire.say(1, *immediate("q")) == [*returned("q", 313), "1 ack 1"]
    assert wire.ready("q") == 0


def test_a_consumer_that_waits_takes_the_message() -> None:
    wire = old()
    wire.consume("q", "c", channel=2)
    assert wire.say(1, *immediate("q")) == ["2 deliver c 1 now"]
    assert wire.commit() == ["1 ack 1"]


def test_a_consumer_without_acks_takes_it_past_the_disk() -> None:
    wire = old()
    wire.consume("q", "c", channel=2, no_ack=True)
    assert wire.say(1, *immediate("q")) == ["2 deliver c 1 now", "1 ack 1"]


def test_a_consumer_without_room_declines() -> None:
    wire = old()
    wire.qos(1, channel=2)
    wire.consume("q", "c", channel=2)
    wire.say(1, *immediate("q", b"first"))
    wire.commit()
    assert wire.say(1, *immediate("q")) == [*returned("q", 313), "1 ack 2"]
    wire.ack(1, channel=2)
    assert wire.say(1, *immediate("q")) == ["2 deliver c 2 now"]


def test_a_message_does_not_overtake_those_that_wait() -> None:
    wire = old().holding("q", "before")
    wire.commit()
    wire.qos(1, channel=2)
    wire.consume("q", "c", channel=2)
    assert wire.say(1, *immediate("q"))[0] == "1 return 313 q"


def test_of_several_queues_only_those_get_it_that_can_hand_it_on() -> None:
    wire = old().with_queue("r")
    for queue in ("q", "r"):
        wire.say(1, commands.Queue.Bind(queue=queue, exchange="amq.fanout", routing_key=""))
        wire.commit()
    wire.consume("r", "c", channel=2)
    assert wire.say(1, *immediate("", exchange="amq.fanout")) == ["2 deliver c 1 now"]
    assert wire.ready("q") == 0


def test_the_room_of_one_channel_is_not_given_away_twice() -> None:
    wire = old().with_queue("r")
    wire.qos(1, shared=True, channel=2)
    for queue in ("q", "r"):
        wire.say(1, commands.Queue.Bind(queue=queue, exchange="amq.fanout", routing_key=""))
        wire.commit()
        wire.consume(queue, queue, channel=2)
    assert len(wire.say(1, *immediate("", exchange="amq.fanout"))) == 1
    assert wire.ready("q") + wire.ready("r") == 0


@pytest.mark.parametrize(("mandatory", "code"), [(True, 312), (False, 313)])
def test_without_any_queue_it_matters_what_else_was_asked_for(mandatory: bool, code: int) -> None:
    told = old().say(1, *immediate("nowhere", mandatory=mandatory))
    assert told == [*returned("nowhere", code), "1 ack 1"]


@pytest.mark.parametrize("seed", seeds(20))
def test_in_any_order_of_steps_the_message_is_taken_at_once_or_returned(seed: int) -> None:
    wire = old(seed)
    wire.qos(2, channel=2)
    wire.consume("q", "c", channel=2)
    told = wire.say(1, *immediate("q", b"a"), *immediate("q", b"b"), *immediate("q", b"c"))
    deliveries = [line for line in told if " deliver " in line]
    assert deliveries == ["2 deliver c 1 a", "2 deliver c 2 b"]
    assert "1 return 313 q" in told


@pytest.mark.parametrize("seed", seeds(20))
def test_in_any_order_of_steps_what_is_on_its_way_comes_first(seed: int) -> None:
    wire = old(seed)
    wire.qos(1, channel=2)
    wire.consume("q", "c", channel=2)
    told = wire.say(1, *content("q", b"before"), *immediate("q"))
    assert "2 deliver c 1 before" in told
    assert "1 return 313 q" in told


@pytest.mark.parametrize("seed", seeds(20))
def test_in_any_order_of_steps_a_message_is_taken_before_anything_else(seed: int) -> None:
    wire = old(seed)
    wire.consume("q", "c", channel=2)
    told = wire.receive(encode(1, *immediate("q")) + encode(2, commands.Basic.Cancel("c")))
    assert "2 deliver c 1 now" in told
    assert wire.ready("q") == 0


# -- how to ask for it ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_running_broker_does_it_by_option_in_lockstep(seed: int | None) -> None:
    with RunningBroker(immediate=True, lockstep=True, seed=seed) as broker:
        client = Bare(broker.port).opened()
        client.send(encode(1, commands.Queue.Declare(queue="q")))
        client.line()
        client.send(encode(1, *immediate("q")))
        assert [client.line() for _ in range(4)] == [*returned("q", 313), "1 ack 1"]
        client.send(encode(1, commands.Basic.Consume(queue="q", consumer_tag="c")))
        client.line()
        client.send(encode(1, *immediate("q")))
        lines = {client.line().split()[1] for _ in range(4)}
        assert lines == {"deliver", "header", "body", "ack"}
        client.close()
        broker.check()
