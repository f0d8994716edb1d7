"""The decoder: the same events, however the bytes are cut."""

from __future__ import annotations

import pytest
from ackproof.conform import decoding
from ackproof.conform.decoding import ConnectionDecoder
from ackproof.conform.events import Event, Kind
from ackproof.impl.session.methods import METHODS
from ackproof.impl.wire.frames import (
    PROTOCOL_HEADER,
    encode_content,
    encode_heartbeat,
    encode_method,
)
from pamqp import commands, header

KEY = b"key"


def content(channel: int, body: bytes, message: str, frame_max: int = 131072) -> bytes:
    """The frames of a content."""
    properties = commands.Basic.Properties(message_id=message, delivery_mode=2)
    return encode_content(
        header.ContentHeader(0, len(body), properties).marshal(), body, channel, frame_max
    )


CLIENT = b"".join(
    [
        PROTOCOL_HEADER,
        encode_method(commands.Connection.StartOk({}, "PLAIN", "\0me\0secret", "en_US"), 0),
        encode_method(commands.Channel.Open(), 1),
        encode_method(commands.Confirm.Select(), 1),
        encode_heartbeat(),
        encode_method(commands.Basic.Publish(0, "x", "k", True), 1),
        content(1, b"a body of some length", "m1", frame_max=16),
        encode_method(commands.Basic.Publish(0, "", "q"), 1),
        content(1, b"", "m2"),
        encode_method(commands.Basic.Nack(7, True, False), 1),
        encode_method(commands.Queue.Purge(0, "q"), 1),
    ]
)


def decoded(data: bytes, size: int) -> list[Event]:
    """The events of a client's bytes, fed in pieces."""
    decoder = ConnectionDecoder("c", KEY)
    pieces = [data[n : n + size] for n in range(0, len(data), size)]
    return [event for piece in pieces for event in decoder.from_client(piece, 5.0)]


def test_methods_become_events_with_their_contents() -> None:
    events = decoded(CLIENT, len(CLIENT))
    assert [e.kind for e in events] == [
        Kind.OPEN,
        Kind.SELECT,
        Kind.PUBLISH,
        Kind.PUBLISH,
        Kind.CONSUMER_REJECT,
        Kind.CLIENT_OTHER,
    ]
    assert [e.number for e in events] == [1, 2, 3, 4, 5, 6]
    first, second = events[2:4]
    assert (first.exchange, first.key, first.mandatory, first.message) == ("x", "k", True, "m1")
    assert (first.size, first.persistent, first.connection, first.time) == (21, True, "c", 5.0)
    assert second.size == 0
    assert first.digest != second.digest
    assert (events[4].tag, events[4].multiple, events[4].requeue) == (7, True, False)
    assert (events[5].text, events[5].queue) == ("Queue.Purge", "q")


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_it_does_not_matter_how_the_bytes_are_cut(size: int) -> None:
    assert decoded(CLIENT, size) == decoded(CLIENT, len(CLIENT))


def test_a_digest_is_worth_nothing_without_its_key() -> None:
    other = ConnectionDecoder("c", b"another key").from_client(CLIENT)
    assert other[2].digest != decoded(CLIENT, len(CLIENT))[2].digest


def test_a_body_that_comes_back_has_the_digest_that_it_had() -> None:
    decoder = ConnectionDecoder("c", KEY)
    (published,) = (e for e in decoder.from_client(CLIENT) if e.message == "m1")
    answer = encode_method(commands.Basic.Return(312, "NO_ROUTE", "x", "k"), 1)
    (returned,) = decoder.from_broker(answer + content(1, b"a body of some length", "m1"))
    assert returned.kind == Kind.RETURN
    assert returned.identity == published.identity


def test_what_cannot_be_read_is_a_gap_and_the_end() -> None:
    decoder = ConnectionDecoder("c", KEY)
    decoder.from_client(CLIENT)
    (gap,) = decoder.from_broker(b"\x01\x00\x01\x00\x00\x00\x01xx")
    assert (gap.kind, gap.channel, gap.number) == (Kind.GAP, 1, 7)
    assert decoder.problem is not None
    assert decoder.from_client(encode_method(commands.Basic.Publish(), 1)) == []


def test_a_content_that_is_interrupted_is_not_understood() -> None:
    decoder = ConnectionDecoder("c", KEY)
    publish = encode_method(commands.Basic.Publish(), 1)
    decoder.from_client(PROTOCOL_HEADER + publish + publish)
    assert decoder.problem is not None
    assert "content header" in decoder.problem


#: What a client may say that is about no message, no consumer and no transaction.
ABOUT_NO_MESSAGE = ("Access.", "Channel.Flow", "Exchange.", "Queue.")


def test_whatever_clients_say_of_messages_is_an_event_of_its_own() -> None:
    others = {method.name for method in METHODS} - decoding._CLIENT.keys()
    assert {name for name in others if not name.startswith(ABOUT_NO_MESSAGE)} == set()
