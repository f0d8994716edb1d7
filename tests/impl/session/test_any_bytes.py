"""What clients write into messages is carried as it is, UTF-8 or not; names have to be UTF-8."""

from __future__ import annotations

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.storage.disk import Disk
from pamqp import commands

from tests.impl.any_bytes import CARRIED, DYING, RAW, REFUSED, ROUTED, fetched, published
from tests.impl.clients import Wire, encode, heard

GET = encode(1, commands.Basic.Get(queue="q", no_ack=True))


def said(wire: Wire, data: bytes) -> bytes:
    """Return the bytes that the broker answers with."""
    wire.session.receive(data)
    wire.broker.run(idle=True)
    return wire.session.take_output()


@pytest.mark.parametrize("case", CARRIED)
def test_a_property_comes_out_as_it_came_in(case: str) -> None:
    wire = Wire().opened().with_queue("q", durable=False)
    assert said(wire, published(CARRIED[case]) + GET) == fetched(CARRIED[case])


def test_a_message_of_any_bytes_comes_back_from_the_disk() -> None:
    disk = Disk(None)
    properties = {**CARRIED["the name of a header"], "delivery_mode": b"\2"}
    wire = Wire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", durable=True))
    wire.say(1, commands.Queue.Bind(queue="q", exchange="amq.topic", routing_key="#"))
    said(wire, published(properties, RAW, b"amq.topic"))
    while wire.broker.journal.pending:
        disk.commit(batch := wire.broker.journal.take())
        wire.broker.committed(batch)
    again = Wire(Broker(stored=disk.recover())).opened()
    assert said(again, GET) == fetched(properties, RAW, b"amq.topic", redelivered=True)


@pytest.mark.parametrize("case", ROUTED)
def test_a_message_finds_its_way_by_any_bytes(case: str) -> None:
    answer = said(Wire().opened(), ROUTED[case])
    assert RAW in answer
    assert answer.endswith(b"\3\0\1\0\0\0\1x\xce"), "the message, and nothing after it"


def test_a_dead_letter_may_get_a_key_of_any_bytes() -> None:
    wire = Wire().opened()
    said(wire, DYING)
    answer = said(wire, GET)
    assert RAW + b"." + RAW in answer
    assert answer.endswith(b"\3\0\1\0\0\0\1x\xce")


@pytest.mark.parametrize("case", [name for name in REFUSED if "queue" in name])
def test_the_name_of_a_queue_has_to_be_text(case: str) -> None:
    assert heard(said(Wire().opened(), REFUSED[case]))[-1:] == [
        "0 Connection.Close 501 FRAME_ERROR - Malformed UTF-8 in shortstr"
    ]
