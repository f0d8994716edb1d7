"""Bytes that are no UTF-8 are carried, or refused, as by a real RabbitMQ, to the last byte.

The answers are compared as bytes, the class and method in a close among them.
"""

from __future__ import annotations

import socket

import pytest
from pamqp import commands

from tests.impl.any_bytes import CARRIED, REFUSED, ROUTED, published
from tests.impl.clients import Wire, encode
from tests.peers.test_wire_like_rabbitmq import OPENED

pytestmark = pytest.mark.peer

_PATIENCE = 10.0
#: The connection's end, orderly: exclusive queues are gone before it is answered.
_CLOSE = encode(0, commands.Connection.Close(200, "", 0, 0))
_IS_CLOSED = b"\0\x0a\0\x33\xce"
#: The last answer of those that open the connection and the channel.
_IS_OPEN = b"\0\x14\0\x0b\0\0\0\0\xce"

QUEUE = encode(1, commands.Queue.Declare(queue="q", exclusive=True))
GET = encode(1, commands.Basic.Get(queue="q", no_ack=True))

CASES = {
    **{name: QUEUE + published(properties) + GET for name, properties in CARRIED.items()},
    **ROUTED,
    **REFUSED,
}


def of_this_broker(said: bytes) -> bytes:
    """Return what this broker answers."""
    wire = Wire().opened()
    wire.session.receive(said)
    wire.broker.run(idle=True)
    return wire.session.take_output()


def of_the_other(said: bytes, size: int, port: int) -> bytes:
    """Return what the other broker answers, so many bytes of it."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE) as client:
        client.sendall(OPENED)
        while not received.endswith(_IS_OPEN):
            received += client.recv(65536)
        client.sendall(said)
        received = b""
        while len(received) < size and (more := client.recv(65536)):
            received += more
        answers = received
        client.sendall(_CLOSE)
        while not received.endswith(_IS_CLOSED) and (more := client.recv(65536)):
            received += more
    return answers


@pytest.mark.parametrize("case", CASES)
def test_any_bytes_are_treated_alike(case: str, port: int) -> None:
    ours = of_this_broker(CASES[case])
    assert of_the_other(CASES[case], len(ours), port) == ours
