"""The values of field tables mean to this broker what they mean to a real RabbitMQ.

There are eight types of integers, two of floating point numbers, and more of other things.  Which
of them are equal, which are refused, and what they are called in a text, is compared for each of
them, written to the byte: a codec would choose the types itself.
"""

from __future__ import annotations

import struct
from itertools import count

import pytest
from pamqp import commands

from tests.impl.clients import Wire, encode
from tests.impl.session.test_session import raw
from tests.peers.test_wire_like_rabbitmq import OPENED, of_the_other

pytestmark = pytest.mark.peer

HEADERS = "amq.headers"
#: Stands for the queue's name; an old one may be locked for a while after its connection is gone.
QUEUE = "typed"
NAMES = (f"{number:05}" for number in count())

#: One of each type, by its letter; as many as can are equal.
VALUES = {
    "b": b"\1",
    "B": b"\1",
    "s": struct.pack(">h", 1),
    "u": struct.pack(">H", 1),
    "I": struct.pack(">i", 1),
    "i": struct.pack(">I", 1),
    "l": struct.pack(">q", 1),
    "L": struct.pack(">Q", 1),
    "f": struct.pack(">f", 1),
    "d": struct.pack(">d", 1),
    "T": struct.pack(">Q", 1),
    "t": b"\1",
    "V": b"",
    "D": struct.pack(">BI", 0, 1),
    "S": struct.pack(">I", 1) + b"1",
    "x": struct.pack(">I", 1) + b"1",
    "F": struct.pack(">I", 4) + b"\1ab\1",
    "A": struct.pack(">I", 2) + b"b\1",
}


def short(text: str) -> bytes:
    return bytes((len(text),)) + text.encode()


def table(name: str, letter: str, value: bytes | None = None) -> bytes:
    """Return a table of one field, which is the one of this type unless it is said."""
    inside = short(name) + letter.encode() + (VALUES[letter] if value is None else value)
    return struct.pack(">I", len(inside)) + inside


NOTHING = bytes(4)


def declare(arguments: bytes) -> bytes:
    """Return the declaration of an exclusive queue."""
    return raw(1, 1, struct.pack(">HHH", 50, 10, 0) + short(QUEUE) + b"\4" + arguments)


def bind(exchange: str, arguments: bytes) -> bytes:
    names = short(QUEUE) + short(exchange) + short("")
    return raw(1, 1, struct.pack(">HHH", 50, 20, 0) + names + b"\0" + arguments)


def unbind(exchange: str, arguments: bytes) -> bytes:
    names = short(QUEUE) + short(exchange) + short("")
    return raw(1, 1, struct.pack(">HHH", 50, 50, 0) + names + arguments)


def publish(exchange: str, key: str, headers: bytes) -> bytes:
    """Return a message without a body, which is returned if no queue gets it."""
    method = commands.Basic.Publish(exchange=exchange, routing_key=key, mandatory=True)
    flags = commands.Basic.Properties.flags["headers"]
    return encode(1, method) + raw(2, 1, struct.pack(">HHQH", 60, 0, 0, flags) + headers)


#: What is answered when all before it has been routed.
END = encode(1, commands.Basic.Qos())


def compare(said: bytes, port: int) -> None:
    named = OPENED + said.replace(QUEUE.encode(), next(NAMES).encode())
    ours = Wire().receive(named)
    assert of_the_other(named, len(ours), port) == ours


@pytest.mark.parametrize("letter", VALUES)
def test_an_argument_that_was_not_there_is_named_with_its_type(letter: str, port: int) -> None:
    compare(declare(NOTHING) + declare(table("x-max-length", letter)), port)


@pytest.mark.parametrize("letter", [one for one in VALUES if one != "D"])
def test_an_argument_is_compared_within_its_class_of_types(letter: str, port: int) -> None:
    """RabbitMQ has no text for a decimal in this place, and ends the connection."""
    compare(declare(table("x-max-length", "I")) + declare(table("x-max-length", letter)), port)


@pytest.mark.parametrize("letter", VALUES)
@pytest.mark.parametrize(
    "name",
    ["x-max-length", "x-overflow", "x-single-active-consumer", "x-dead-letter-exchange"],
)
def test_an_argument_of_the_wrong_type_is_refused(name: str, letter: str, port: int) -> None:
    compare(declare(table(name, letter)), port)


@pytest.mark.parametrize("letter", VALUES)
def test_how_to_match_is_a_text(letter: str, port: int) -> None:
    compare(declare(NOTHING) + bind(HEADERS, table("x-match", letter)), port)


@pytest.mark.parametrize("letter", VALUES)
def test_further_routing_keys_are_an_array(letter: str, port: int) -> None:
    compare(publish("", "none", table("CC", letter)), port)


@pytest.mark.parametrize("letter", VALUES)
def test_headers_match_by_value(letter: str, port: int) -> None:
    messages = (publish(HEADERS, one, table("h", one)) for one in VALUES)
    said = declare(NOTHING) + bind(HEADERS, table("h", letter)) + b"".join(messages)
    compare(said + END, port)


@pytest.mark.parametrize("letter", VALUES)
def test_bindings_are_one_if_their_arguments_have_one_type(letter: str, port: int) -> None:
    said = declare(NOTHING) + bind("amq.fanout", table("h", "I"))
    said += unbind("amq.fanout", table("h", letter))
    compare(said + publish("amq.fanout", "key", NOTHING) + END, port)


@pytest.mark.parametrize(
    "value", [struct.pack(">Q", 2**64 - 1), struct.pack(">Q", 2**63 - 1)], ids=["-1", "largest"]
)
def test_an_unsigned_number_of_64_bits_is_a_signed_one(value: bytes, port: int) -> None:
    compare(declare(table("x-max-length", "L", value)), port)
