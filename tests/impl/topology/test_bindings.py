"""What a client may bind, and where messages go then; refusals have the text of RabbitMQ 3.10.8."""

from __future__ import annotations

from typing import Any

import pytest
from pamqp import base, commands

from tests.impl.clients import Wire, content
from tests.impl.topology.test_exchanges import DEFAULT, IN, bind, declare


def bound(*bindings: tuple[str, str, str], arguments: dict[str, Any] | None = None) -> Wire:
    """Return a session with bindings: queue, exchange, key; the queues are declared too."""
    wire = Wire().opened()
    for queue, exchange, key in bindings:
        wire.say(1, commands.Queue.Declare(queue=queue))
        binding = bind(queue, exchange, key)
        binding.arguments = arguments or {}
        assert wire.say(1, binding) == ["1 Queue.BindOk"]
    return wire


def filled(wire: Wire) -> dict[str, int]:
    """Return how many messages are in each queue that has any."""
    depths = {name: len(queue.machine.ready) for name, queue in wire.broker.queues.items()}
    return {name: depth for name, depth in depths.items() if depth}


def test_a_direct_exchange_routes_by_key() -> None:
    wire = bound(("a", "amq.direct", "k"), ("b", "amq.direct", "k"), ("c", "amq.direct", "other"))
    wire.say(1, *content("k", exchange="amq.direct"))
    assert filled(wire) == {"a": 1, "b": 1}


def test_a_fanout_exchange_routes_to_all() -> None:
    wire = bound(("a", "amq.fanout", "k"), ("b", "amq.fanout", ""))
    wire.say(1, *content("x", exchange="amq.fanout"))
    assert filled(wire) == {"a": 1, "b": 1}


def test_a_topic_exchange_routes_by_pattern() -> None:
    wire = bound(("a", "amq.topic", "log.*"), ("b", "amq.topic", "log.#"), ("c", "amq.topic", "*"))
    wire.say(1, *content("log.disk.full", exchange="amq.topic"))
    assert filled(wire) == {"b": 1}


def test_a_headers_exchange_routes_by_headers() -> None:
    wire = bound(("a", "amq.headers", ""), arguments={"kind": "full"})
    wire.say(1, *content("", exchange="amq.headers", headers={"kind": "full"}))
    wire.say(1, *content("", exchange="amq.headers", headers={"kind": "half"}))
    wire.say(1, *content("", exchange="amq.headers"))
    assert filled(wire) == {"a": 1}


def test_a_blind_copy_is_no_header_to_route_by() -> None:
    wire = bound(("a", "amq.headers", ""), arguments={"BCC": None})
    wire.say(1, *content("", exchange="amq.headers", headers={"BCC": ["z"]}))
    assert filled(wire) == {}


def test_copies_are_routed_by_their_own_keys() -> None:
    wire = bound(("a", "amq.direct", "a"), ("b", "amq.direct", "b"), ("c", "amq.direct", "c"))
    wire.say(1, *content("a", exchange="amq.direct", headers={"CC": ["b"], "BCC": ["c", "a"]}))
    assert filled(wire) == {"a": 1, "b": 1, "c": 1}


def test_a_queue_that_is_bound_twice_gets_a_message_once() -> None:
    wire = bound(("a", "amq.topic", "#"), ("a", "amq.topic", "a.*"))
    wire.say(1, *content("a.b", exchange="amq.topic"))
    assert filled(wire) == {"a": 1}


def test_messages_go_on_from_exchange_to_exchange_and_not_in_circles() -> None:
    wire = bound(("a", "amq.fanout", ""))
    wire.say(1, declare("x", "fanout"))
    for source, destination in [("x", "amq.topic"), ("amq.topic", "amq.fanout")]:
        between = commands.Exchange.Bind(destination=destination, source=source, routing_key="#")
        wire.say(1, between)
        wire.commit()
    wire.say(1, commands.Exchange.Bind(destination="x", source="amq.fanout"))
    wire.say(1, *content("k", exchange="x"))
    assert filled(wire) == {"a": 1}


def test_an_internal_exchange_is_reached_through_another() -> None:
    wire = Wire().opened()
    wire.say(1, declare("inner", "fanout", internal=True))
    wire.say(1, commands.Queue.Declare(queue="a"), bind("a", "inner"))
    wire.say(1, commands.Exchange.Bind(destination="inner", source="amq.fanout"))
    wire.say(1, *content("k", exchange="amq.fanout"))
    assert filled(wire) == {"a": 1}


def test_what_is_unbound_gets_nothing_more() -> None:
    wire = bound(("a", "amq.fanout", "k"))
    unbind = commands.Queue.Unbind(queue="a", exchange="amq.fanout", routing_key="k")
    assert wire.say(1, unbind) == ["1 Queue.UnbindOk"]
    wire.say(1, *content("k", exchange="amq.fanout"))
    assert filled(wire) == {}


def test_the_same_binding_twice_is_one() -> None:
    wire = bound(("a", "amq.fanout", "k"), ("a", "amq.fanout", "k"))
    wire.say(1, commands.Queue.Unbind(queue="a", exchange="amq.fanout", routing_key="k"))
    wire.say(1, *content("k", exchange="amq.fanout"))
    assert filled(wire) == {}


def test_exchanges_can_be_unbound_too() -> None:
    wire = bound(("a", "amq.fanout", ""))
    between = {"destination": "amq.fanout", "source": "amq.direct", "routing_key": "k"}
    wire.say(1, commands.Exchange.Bind(**between))  # type: ignore[arg-type]
    assert wire.commit() == ["1 Exchange.BindOk"]
    wire.say(1, commands.Exchange.Unbind(**between))  # type: ignore[arg-type]
    assert wire.commit() == ["1 Exchange.UnbindOk"]
    wire.say(1, *content("k", exchange="amq.direct"))
    assert filled(wire) == {}


def test_arguments_tell_one_binding_from_another() -> None:
    wire = bound(("a", "amq.fanout", "k"), arguments={"n": 1})
    unbind = commands.Queue.Unbind(queue="a", exchange="amq.fanout", routing_key="k")
    for other in ({}, {"n": True}, {"n": 2}):
        unbind.arguments = other  # type: ignore[assignment]
        assert wire.say(1, unbind) == ["1 Queue.UnbindOk"], "none such is no error"
    wire.say(1, *content("k", exchange="amq.fanout"))
    assert filled(wire) == {"a": 1}


def test_a_queue_without_a_name_is_the_last_one_and_its_name_the_key() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="a"))
    assert wire.say(1, bind("", "amq.direct")) == ["1 Queue.BindOk"]
    wire.say(1, *content("a", exchange="amq.direct"))
    assert filled(wire) == {"a": 1}


def test_a_queue_that_is_deleted_and_declared_again_is_not_bound() -> None:
    wire = bound(("a", "amq.fanout", ""))
    wire.say(1, commands.Queue.Delete(queue="a"))
    wire.say(1, commands.Queue.Declare(queue="a"))
    wire.say(1, *content("k", exchange="amq.fanout"))
    assert filled(wire) == {}


def test_a_binding_is_made_when_the_disk_knows_of_it_if_both_ends_are_durable() -> None:
    wire = Wire().opened().with_queue("a")
    assert wire.say(1, bind("a", "amq.fanout")) == []
    assert wire.commit() == ["1 Queue.BindOk"]
    wire.say(1, declare("x"))
    assert wire.say(1, bind("a", "x")) == ["1 Queue.BindOk"], "the exchange is transient"


def between(destination: str, source: str) -> commands.Exchange.Bind:
    """Return exchange.bind."""
    return commands.Exchange.Bind(destination=destination, source=source)


NO_X = f"1 Channel.Close 404 NOT_FOUND - no exchange 'x' {IN}"

REFUSED: dict[str, tuple[base.Frame, str]] = {
    "no queue": (
        bind("q", "amq.direct"),
        f"1 Channel.Close 404 NOT_FOUND - no queue 'q' {IN}",
    ),
    "neither queue nor exchange": (bind("q", "x"), NO_X),
    "no queue was declared": (
        bind("", "amq.direct"),
        "1 Channel.Close 404 NOT_FOUND - no previously declared queue",
    ),
    "to the default exchange": (bind("q", ""), DEFAULT),
    "no source": (between("amq.direct", "x"), NO_X),
    "no destination": (between("x", "amq.direct"), NO_X),
    "from the default exchange": (between("amq.direct", ""), DEFAULT),
    "the default exchange": (between("", "amq.direct"), DEFAULT),
    "unbinding from the default exchange": (
        commands.Queue.Unbind(queue="q", exchange="", routing_key="k"),
        DEFAULT,
    ),
    "unbinding the default exchange": (
        commands.Exchange.Unbind(destination="", source="amq.direct"),
        DEFAULT,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_bound_says_why(case: str) -> None:
    method, answer = REFUSED[case]
    assert Wire().opened().say(1, method) == [answer]


def test_what_a_headers_exchange_cannot_use_is_refused() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="a"))
    binding = bind("a", "amq.headers")
    binding.arguments = {"x-match": "some"}
    (answer,) = wire.say(1, binding)
    assert answer.startswith("1 Channel.Close 406 PRECONDITION_FAILED - Invalid x-match field")


MISSING: list[base.Frame] = [
    commands.Queue.Unbind(queue="q", exchange="amq.direct", routing_key="k"),
    commands.Queue.Unbind(queue="q", exchange="x", routing_key="k"),
    commands.Exchange.Unbind(destination="x", source="amq.direct"),
    commands.Exchange.Unbind(destination="amq.direct", source="x"),
]


@pytest.mark.parametrize("method", MISSING)
def test_unbinding_what_is_missing_is_no_error(method: base.Frame) -> None:
    (answer,) = Wire().opened().say(1, method)
    assert answer == f"1 {method.name}Ok"


def test_an_exclusive_queue_of_another_connection_cannot_be_bound() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="mine", exclusive=True))
    (answer,) = Wire(wire.broker).opened().say(1, bind("mine", "amq.direct"))
    assert answer.startswith("1 Channel.Close 405 RESOURCE_LOCKED")
