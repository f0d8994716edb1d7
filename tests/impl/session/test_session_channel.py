"""What a client may ask of a channel besides publishing: queues, closing, and its mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.session.session import Session
from pamqp import commands, header

from tests.impl.clients import Wire, content, heard


def test_a_durable_queue_is_declared_when_the_disk_knows_of_it() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Queue.Declare(queue="q", durable=True)) == []
    assert wire.session.waiting
    assert wire.say(1, commands.Channel.Flow(True)) == [], "later methods wait for their turn"
    assert wire.commit() == ["1 Queue.DeclareOk q 0", "1 Channel.FlowOk"]


def test_a_transient_queue_is_declared_at_once() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Queue.Declare(queue="q")) == ["1 Queue.DeclareOk q 0"]


def test_declaring_again_says_how_many_messages_are_ready() -> None:
    wire = Wire().opened().with_queue("q")
    wire.publish(1, "q")
    answer = wire.say(1, commands.Queue.Declare(queue="q", durable=True))
    assert answer == ["1 Queue.DeclareOk q 1"]


def test_declaring_otherwise_closes_the_channel() -> None:
    wire = Wire().opened().with_queue("q")
    assert wire.say(1, commands.Queue.Declare(queue="q")) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'q' "
        "in vhost '/': received 'false' but current is 'true'"
    ]


def test_a_passive_declaration_creates_nothing() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Queue.Declare(queue="q", passive=True)) == [
        "1 Channel.Close 404 NOT_FOUND - no queue 'q' in vhost '/'"
    ]
    assert wire.broker.queues == {}


def test_a_text_that_is_too_long_is_cut() -> None:
    wire = Wire().opened()
    (answer,) = wire.say(1, commands.Queue.Declare(queue="q" * 255, passive=True))
    text = answer.removeprefix("1 Channel.Close 404 ")
    assert text == "NOT_FOUND - no queue '" + "q" * 230 + "..."
    assert len(text) == 255


def test_the_broker_names_a_queue_without_a_name_and_remembers_it() -> None:
    wire = Wire().opened()
    (answer,) = wire.say(1, commands.Queue.Declare(queue=""))
    name = answer.split()[2]
    assert name.startswith("amq.gen-")
    wire.publish(1, name)
    assert wire.say(1, commands.Queue.Delete(queue="")) == ["1 Queue.DeleteOk"]
    assert wire.broker.queues == {}


def test_without_a_declaration_there_is_no_queue_to_remember() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Queue.Purge(queue="")) == [
        "1 Channel.Close 404 NOT_FOUND - no previously declared queue"
    ]


def test_deleting_a_queue_that_is_not_there_is_no_error() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Queue.Delete(queue="none")) == ["1 Queue.DeleteOk"]


def test_reserved_names_are_refused() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Queue.Declare(queue="amq.mine")) == [
        "1 Channel.Close 403 ACCESS_REFUSED - "
        "queue name 'amq.mine' contains reserved prefix 'amq.*'"
    ]


def test_any_name_that_can_be_said_can_be_declared() -> None:
    wire = Wire().opened()
    declare = b"\x00\x32\x00\x0a\x00\x00" + b"\x05caf\xc3\xa9" + bytes(5)
    frame = b"\x01\x00\x01" + len(declare).to_bytes(4, "big") + declare + b"\xce"
    assert wire.receive(frame) == ["1 Queue.DeclareOk café 0"]


def test_who_asks_for_a_ticket_gets_one() -> None:
    ask = b"\x00\x1e\x00\x0a" + b"\x05/data" + b"\x1f"
    wire = Wire().opened()
    wire.session.receive(b"\x01\x00\x01" + len(ask).to_bytes(4, "big") + ask + b"\xce")
    assert wire.session.take_output() == b"\x01\x00\x01\0\0\0\6\0\x1e\0\x0b\0\1\xce"


def test_a_ticket_is_not_for_clients_to_give() -> None:
    give = b"\x00\x1e\x00\x0b\x00\x01"
    frame = b"\x01\x00\x01" + len(give).to_bytes(4, "big") + give + b"\xce"
    assert Wire().opened().receive(frame) == [
        "0 Connection.Close 503 COMMAND_INVALID - unimplemented method"
    ]


def test_a_channel_that_is_being_closed_is_not_opened_again() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Basic.Get(queue="none"))
    assert wire.say(1, commands.Channel.Open()) == [
        "0 Connection.Close 504 CHANNEL_ERROR - second 'channel.open' seen"
    ]


def test_unbinding_what_is_not_bound_is_nobodys_secret() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", exclusive=True))
    other = Wire(wire.broker).opened()
    unbind = commands.Queue.Unbind(queue="q", exchange="amq.direct", routing_key="k")
    assert other.say(1, unbind) == ["1 Queue.UnbindOk"]
    wire.say(1, commands.Queue.Bind(queue="q", exchange="amq.direct", routing_key="k"))
    (answer,) = other.say(1, unbind)
    assert answer.startswith("1 Channel.Close 405 RESOURCE_LOCKED - cannot obtain exclusive access")


def test_exclusive_queues_that_were_deleted_do_not_go_again_with_their_connection() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", exclusive=True))
    wire.say(1, commands.Queue.Declare(queue="mine", exclusive=True))
    wire.say(1, commands.Queue.Delete(queue="q"))
    other = Wire(wire.broker).opened()
    other.say(1, commands.Queue.Declare(queue="q"))
    wire.session.connection_lost()
    assert [*wire.broker.queues] == ["q"]


def test_an_exclusive_queue_is_locked_for_others_and_goes_with_its_connection() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", exclusive=True))
    other = Wire(wire.broker).opened()
    (answer,) = other.say(1, commands.Queue.Declare(queue="q", exclusive=True))
    assert answer.startswith("1 Channel.Close 405 RESOURCE_LOCKED - cannot obtain exclusive access")
    wire.session.connection_lost()
    assert wire.broker.queues == {}


def test_purging_and_deleting_say_how_many_messages_were_ready() -> None:
    wire = Wire().opened().with_queue("q")
    wire.publish(1, "q")
    wire.publish(1, "q", persistent=False)
    assert wire.say(1, commands.Queue.Purge(queue="q")) == ["1 Queue.PurgeOk"]
    wire.publish(1, "q")
    assert wire.say(1, commands.Queue.Delete(queue="q")) == []
    assert wire.commit() == ["1 Queue.DeleteOk"]
    assert wire.broker.queues == {}


def test_a_queue_that_must_be_empty_to_be_deleted_stays() -> None:
    wire = Wire().opened().with_queue("q")
    wire.publish(1, "q")
    (answer,) = wire.say(1, commands.Queue.Delete(queue="q", if_empty=True))
    assert answer == "1 Channel.Close 406 PRECONDITION_FAILED - queue 'q' in vhost '/' not empty"
    assert "q" in wire.broker.queues


def test_a_closed_channel_can_be_opened_again() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Channel.Close(0, "", 0, 0)) == ["1 Channel.CloseOk"]
    assert wire.say(1, commands.Channel.Open()) == ["1 Channel.OpenOk"]


def test_a_failed_channel_ignores_everything_until_the_close_is_answered() -> None:
    wire = Wire().opened(1, 2)
    wire.say(1, commands.Queue.Purge(queue="none"))
    assert wire.say(1, *content("q")) == []
    assert wire.say(1, commands.Confirm.Select()) == []
    assert wire.say(2, commands.Confirm.Select()) == ["2 Confirm.SelectOk"]
    assert wire.say(1, commands.Channel.CloseOk()) == []
    assert wire.say(1, commands.Channel.Open()) == ["1 Channel.OpenOk"]


def test_closes_of_a_channel_that_cross_are_answered() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Purge(queue="none"))
    assert wire.say(1, commands.Channel.Close(0, "", 0, 0)) == ["1 Channel.CloseOk"]


def test_flow_cannot_be_stopped() -> None:
    wire = Wire().opened()
    (answer,) = wire.say(1, commands.Channel.Flow(False))
    assert answer == "0 Connection.Close 540 NOT_IMPLEMENTED - active=false"


def test_a_reply_without_waiting_is_no_reply() -> None:
    wire = Wire().opened()
    assert wire.say(1, commands.Queue.Declare(queue="q", durable=True, nowait=True)) == []
    assert wire.commit() == []
    assert wire.say(1, commands.Queue.Purge(queue="q", nowait=True)) == []
    assert wire.say(1, commands.Queue.Delete(queue="q", nowait=True)) == []
    assert wire.commit() == []
    assert wire.broker.queues == {}


def test_a_connection_that_is_lost_while_it_waits_for_the_disk_hears_nothing() -> None:
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", durable=True))
    wire.session.connection_lost()
    assert wire.commit() == []
    assert "q" in wire.broker.queues


def test_output_is_announced() -> None:
    announced: list[Session] = []
    wire = Wire()
    session = Session(wire.broker, announced.append)
    session.receive(b"AMQP\x00\x00\x09\x01")
    assert announced == [session]
    assert heard(session.take_output()) == ["0 Connection.Start"]
    assert session.take_output() == b""


REFUSED = {
    "another exchange": (
        content("q", exchange="x"),
        "1 Channel.Close 404 NOT_FOUND - no exchange 'x' in vhost '/'",
    ),
    "copies that are no array": (
        content("q", headers={"CC": "q"}),
        "1 Channel.Close 406 PRECONDITION_FAILED - "
        'invalid message: {unacceptable_type_in_header,"CC",longstr}',
    ),
    "hidden copies that are no array": (
        content("q", headers={"BCC": True}),
        "1 Channel.Close 406 PRECONDITION_FAILED - "
        'invalid message: {unacceptable_type_in_header,"BCC",bool}',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_publish_that_no_broker_takes_closes_the_channel(case: str) -> None:
    frames, answer = REFUSED[case]
    wire = Wire().opened()
    assert wire.say(1, *frames) == [answer]


def test_copies_that_are_no_texts_are_passed_over() -> None:
    wire = Wire().opened().with_queue("q", durable=False)
    assert wire.say(1, *content("nowhere", headers={"CC": [1, "q", True]})) == []
    assert len(wire.broker.queues["q"].machine.ready) == 1


def test_without_anybody_who_waits_other_properties_do_not_matter() -> None:
    asking = commands.Basic.Properties(reply_to="amq.rabbitmq.reply-to", user_id="root")
    publish = commands.Basic.Publish(routing_key="q")
    assert Wire().opened().say(1, publish, header.ContentHeader(0, 5, asking)) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - fast reply consumer does not exist"
    ]


def properties_with_delivery_mode(mode: int) -> commands.Basic.Properties:
    """Return properties that the codec would not let through."""
    properties = commands.Basic.Properties()
    properties.delivery_mode = mode
    return properties


PROPERTIES = {
    "someone else's name": (
        commands.Basic.Properties(user_id="root"),
        "1 Channel.Close 406 PRECONDITION_FAILED - "
        "user_id property set to 'root' but authenticated user was 'guest'",
    ),
    "a delivery mode of 3": (
        properties_with_delivery_mode(3),
        "1 Channel.Close 406 PRECONDITION_FAILED - invalid message: {delivery_mode_unknown,3}",
    ),
    "an expiration that is no number": (
        commands.Basic.Properties(expiration="soon"),
        "1 Channel.Close 406 PRECONDITION_FAILED - invalid expiration 'soon': no_integer",
    ),
}


@pytest.mark.parametrize("case", PROPERTIES)
def test_properties_are_checked_when_the_header_comes(case: str) -> None:
    properties, answer = PROPERTIES[case]
    wire = Wire().opened()
    publish, header, _ = content("q")
    header.properties = properties  # type: ignore[union-attr]
    assert wire.say(1, publish, header) == [answer]


@pytest.mark.parametrize(
    ("exchange", "wrong"),
    [
        ("nowhere", "404 NOT_FOUND - no exchange 'nowhere' in vhost '/'"),
        ("amq.rabbitmq.trace", "403 ACCESS_REFUSED - cannot publish to internal exchange"),
    ],
)
@pytest.mark.parametrize(
    "properties",
    [{"user_id": "root"}, {"expiration": "soon"}, {"headers": {"CC": "q"}}],
    ids=["user_id", "expiration", "CC"],
)
def test_where_a_message_goes_is_looked_at_before_what_it_says(
    exchange: str, wrong: str, properties: dict[str, Any]
) -> None:
    publish = commands.Basic.Publish(exchange=exchange, routing_key="q")
    head = header.ContentHeader(0, 5, commands.Basic.Properties(**properties))
    (close,) = Wire().opened().say(1, publish, head)
    assert close.startswith(f"1 Channel.Close {wrong}")


def test_a_body_that_is_too_large_is_refused_by_its_header() -> None:
    wire = Wire().opened()
    publish, header, _ = content("q")
    header.body_size = 134217729  # type: ignore[union-attr]
    assert wire.say(1, publish, header) == [
        "1 Channel.Close 406 PRECONDITION_FAILED - "
        "message size 134217729 is larger than configured max size 134217728"
    ]


def test_immediate_is_refused() -> None:
    wire = Wire().opened()
    (answer,) = wire.say(1, commands.Basic.Publish(routing_key="q", immediate=True))
    assert answer == "0 Connection.Close 540 NOT_IMPLEMENTED - immediate=true"


@pytest.mark.parametrize("answered", [False, True])
def test_a_channel_that_has_failed_is_closed_once(answered: bool) -> None:
    broker = Broker()
    lockstep = Lockstep(broker.steps)
    wire = Wire(broker).opened().with_queue("q").confirming()
    wire.publish(1, "q")  # the disk has not got it all that time
    assert wire.say(1, commands.Queue.Purge(queue="none"))[0].startswith("1 Channel.Close 404 ")
    if answered:
        wire.say(1, commands.Channel.CloseOk())
    wire.session.connection_lost()
    assert wire.commit() == []
    lockstep.check()
