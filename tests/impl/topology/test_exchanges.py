"""What a client may do with exchanges; each refusal has the text of RabbitMQ 3.10.8."""

from __future__ import annotations

from typing import Any

import pytest
from pamqp import base, commands

from tests.impl.clients import Wire, content

OK = ["1 Exchange.DeclareOk"]
IN = "in vhost '/'"


def declare(name: str, kind: str = "direct", **flags: Any) -> commands.Exchange.Declare:
    """Return the method; flags are those of exchange.declare."""
    return commands.Exchange.Declare(exchange=name, exchange_type=kind, **flags)


def bind(queue: str, exchange: str, key: str = "") -> commands.Queue.Bind:
    """Return queue.bind."""
    return commands.Queue.Bind(queue=queue, exchange=exchange, routing_key=key)


@pytest.mark.parametrize("kind", ["direct", "fanout", "topic", "headers"])
def test_an_exchange_of_each_type_can_be_declared_twice(kind: str) -> None:
    wire = Wire().opened()
    assert wire.say(1, declare("x", kind)) == OK
    assert wire.say(1, declare("x", kind)) == OK


def test_a_durable_exchange_is_declared_when_the_disk_knows_of_it() -> None:
    wire = Wire().opened()
    assert wire.say(1, declare("x", durable=True)) == []
    assert wire.commit() == OK
    assert wire.say(1, declare("x", durable=True)) == OK, "nothing is new to the disk"


OTHERWISE: dict[str, tuple[dict[str, Any], str, str]] = {
    "type": ({"kind": "fanout"}, "'type'", "received 'fanout' but current is 'direct'"),
    "durable": ({"durable": True}, "'durable'", "received 'true' but current is 'false'"),
    "auto-delete": (
        {"auto_delete": True},
        "'auto_delete'",
        "received 'true' but current is 'false'",
    ),
    "internal": ({"internal": True}, "'internal'", "received 'true' but current is 'false'"),
    "alternate": (
        {"arguments": {"alternate-exchange": "z"}},
        "'alternate-exchange'",
        "received the value 'z' of type 'longstr' but current is none",
    ),
}


@pytest.mark.parametrize("case", OTHERWISE)
def test_declaring_otherwise_closes_the_channel(case: str) -> None:
    flags, name, difference = OTHERWISE[case]
    wire = Wire().opened()
    wire.say(1, declare("x"))
    assert wire.say(1, declare("x", **flags)) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - "
        f"inequivalent arg {name} for exchange 'x' {IN}: {difference}"
    ]


def test_another_alternate_exchange_is_told_with_both_names() -> None:
    wire = Wire().opened()
    wire.say(1, declare("x", arguments={"alternate-exchange": "a"}))
    (answer,) = wire.say(1, declare("x", arguments={"alternate-exchange": "b"}))
    assert answer.endswith("received 'b' but current is 'a'")


def test_arguments_without_a_meaning_do_not_matter() -> None:
    wire = Wire().opened()
    assert wire.say(1, declare("x", arguments={"comment": "mine"})) == OK
    assert wire.say(1, declare("x")) == OK


DEFAULT = "1 Channel.Close 403 ACCESS_REFUSED - operation not permitted on the default exchange"

REFUSED: dict[str, tuple[base.Frame, str]] = {
    "an unknown type": (
        declare("x", "nosuch"),
        "0 Connection.Close 503 COMMAND_INVALID - unknown exchange type 'nosuch'",
    ),
    "no type": (
        declare("x", ""),
        "0 Connection.Close 503 COMMAND_INVALID - invalid exchange type ''",
    ),
    "a reserved name": (
        declare("amq.mine"),
        "1 Channel.Close 403 ACCESS_REFUSED - "
        "exchange name 'amq.mine' contains reserved prefix 'amq.*'",
    ),
    "a predeclared one, otherwise": (
        declare("amq.direct", "fanout", durable=True),
        "1 Channel.Close 406 PRECONDITION_FAILED - inequivalent arg 'type' for exchange "
        f"'amq.direct' {IN}: received 'fanout' but current is 'direct'",
    ),
    "an alternate exchange that is no name": (
        declare("x", arguments={"alternate-exchange": 5}),
        "1 Channel.Close 406 PRECONDITION_FAILED - "
        f"invalid type 'byte' for arg 'alternate-exchange' in exchange 'x' {IN}",
    ),
    "passive, and missing": (
        declare("x", passive=True),
        f"1 Channel.Close 404 NOT_FOUND - no exchange 'x' {IN}",
    ),
    "the default one": (declare(""), DEFAULT),
    "the default one, passive": (declare("", passive=True), DEFAULT),
    "deleting the default one": (commands.Exchange.Delete(exchange=""), DEFAULT),
    "deleting a predeclared one": (
        commands.Exchange.Delete(exchange="amq.topic"),
        "1 Channel.Close 403 ACCESS_REFUSED - "
        f"deletion of system exchange 'amq.topic' {IN} not allowed",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_says_why(case: str) -> None:
    method, answer = REFUSED[case]
    assert Wire().opened().say(1, method) == [answer]


PREDECLARED = {
    "amq.direct": "direct",
    "amq.fanout": "fanout",
    "amq.topic": "topic",
    "amq.headers": "headers",
    "amq.match": "headers",
}


@pytest.mark.parametrize("name", PREDECLARED)
def test_some_exchanges_are_there_from_the_beginning(name: str) -> None:
    assert Wire().opened().say(1, declare(name, PREDECLARED[name], durable=True)) == OK


def test_a_passive_declaration_asks_for_the_name_only() -> None:
    wire = Wire().opened()
    wire.say(1, declare("x"))
    assert wire.say(1, declare("x", "nosuch", passive=True, durable=True)) == OK


def named(method: base.Frame, exchange: str) -> base.Frame:
    """Return the method with a name that the codec would not let through."""
    method.exchange = exchange  # type: ignore[attr-defined]
    method.validate = lambda: None  # type: ignore[method-assign]
    return method


def test_line_ends_are_no_part_of_a_name() -> None:
    wire = Wire().opened()
    wire.say(1, declare("xy"))
    assert wire.say(1, named(declare("xy", passive=True), "x\r\ny")) == OK


def test_any_name_that_can_be_said_can_be_declared_and_returned_from() -> None:
    wire = Wire().opened()
    assert wire.say(1, named(declare("x"), "café")) == OK
    publish, *rest = content("k", mandatory=True)
    assert isinstance(publish, base.Frame)
    answer = wire.say(1, named(publish, "café"), *rest)
    assert answer == ["1 return 312 k", "1 header 5", "1 body b'hello'"]


def test_a_client_cannot_publish_to_an_internal_exchange() -> None:
    wire = Wire().opened()
    wire.say(1, declare("x", internal=True))
    assert wire.say(1, *content("k", exchange="x")) == [
        f"1 Channel.Close 403 ACCESS_REFUSED - cannot publish to internal exchange 'x' {IN}"
    ]


def test_an_exchange_that_is_deleted_is_gone() -> None:
    wire = Wire().opened()
    wire.say(1, declare("x"))
    assert wire.say(1, commands.Exchange.Delete(exchange="x")) == ["1 Exchange.DeleteOk"]
    (answer,) = wire.say(1, declare("x", passive=True))
    assert "404" in answer


def test_an_exchange_in_use_is_deleted_with_its_bindings() -> None:
    wire = Wire().opened().with_queue("q")
    wire.say(1, declare("x", "fanout"), bind("q", "x"))
    assert wire.say(1, commands.Exchange.Delete(exchange="x")) == ["1 Exchange.DeleteOk"]
    wire.say(1, declare("x", "fanout"))
    wire.say(1, *content("k", exchange="x"))
    assert not wire.broker.queues["q"].machine.ready


def test_deleting_what_is_not_there_is_no_error() -> None:
    wire = Wire().opened()
    delete = commands.Exchange.Delete(exchange="x", if_unused=True)
    assert wire.say(1, delete) == ["1 Exchange.DeleteOk"]


def test_an_exchange_in_use_is_not_deleted_if_it_must_not_be() -> None:
    wire = Wire().opened().with_queue("q")
    wire.say(1, declare("x"), bind("q", "x"))
    assert wire.say(1, commands.Exchange.Delete(exchange="x", if_unused=True)) == [
        f"1 Channel.Close 406 PRECONDITION_FAILED - exchange 'x' {IN} in use"
    ]


def test_being_where_a_binding_leads_is_no_use() -> None:
    wire = Wire().opened()
    wire.say(1, declare("x"), declare("y"), commands.Exchange.Bind(destination="y", source="x"))
    delete = commands.Exchange.Delete(exchange="y", if_unused=True)
    assert wire.say(1, delete) == ["1 Exchange.DeleteOk"]


def test_what_finds_no_way_goes_to_the_alternate_exchange_and_is_not_returned() -> None:
    wire = Wire().opened().confirming().with_queue("q")
    alternate = {"alternate-exchange": "rest"}
    wire.say(1, declare("rest", "fanout"), bind("q", "rest"))
    wire.say(1, declare("x", arguments=alternate))
    wire.say(1, *content("k", exchange="x", mandatory=True))
    assert wire.commit() == ["1 ack 1"]
    assert len(wire.broker.queues["q"].machine.ready) == 1


def test_what_finds_no_way_at_all_is_returned_and_acked() -> None:
    wire = Wire().opened().confirming()
    wire.say(1, declare("x", arguments={"alternate-exchange": "y"}))
    wire.say(1, declare("y", arguments={"alternate-exchange": "x"}))
    answer = wire.say(1, *content("k", exchange="x", mandatory=True))
    assert answer == ["1 return 312 k", "1 header 5", "1 body b'hello'", "1 ack 1"]


@pytest.mark.parametrize("name", ["", "amq.default"])
def test_the_default_exchange_is_no_alternate(name: str) -> None:
    wire = Wire().opened().confirming().with_queue("q")
    wire.say(1, declare("x", arguments={"alternate-exchange": name}))
    answer = wire.say(1, *content("q", exchange="x", mandatory=True))
    assert answer[0] == "1 return 312 q"


def test_an_exchange_deletes_itself_with_its_last_binding() -> None:
    wire = Wire().opened().with_queue("q")
    wire.say(1, declare("x", auto_delete=True), bind("q", "x", "a"), bind("q", "x", "b"))
    wire.say(1, commands.Queue.Unbind(queue="q", exchange="x", routing_key="a"))
    assert wire.say(1, declare("x", passive=True)) == OK
    wire.say(1, commands.Queue.Unbind(queue="q", exchange="x", routing_key="b"))
    (answer,) = wire.say(1, declare("x", passive=True))
    assert "404" in answer


def test_exchanges_that_delete_themselves_go_one_after_another_with_their_queue() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q"))
    wire.say(1, declare("x", auto_delete=True), declare("y", auto_delete=True), bind("q", "y"))
    wire.say(1, commands.Exchange.Bind(destination="y", source="x"))
    wire.say(1, commands.Queue.Delete(queue="q"))
    (answer,) = wire.say(1, declare("x", passive=True))
    assert "404" in answer


def test_a_reply_without_waiting_is_no_reply() -> None:
    wire = Wire().opened()
    wire.say(1, declare("y"))
    between = {"destination": "y", "source": "x", "nowait": True}
    assert wire.say(1, declare("x", nowait=True)) == []
    assert wire.say(1, commands.Exchange.Bind(**between)) == []  # type: ignore[arg-type]
    assert wire.say(1, commands.Exchange.Unbind(**between)) == []  # type: ignore[arg-type]
    assert wire.say(1, commands.Exchange.Delete(exchange="x", nowait=True)) == []
