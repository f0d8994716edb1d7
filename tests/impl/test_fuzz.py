"""Bytes that nobody would send: whatever comes, there is an answer of the protocol, and no bug.

A bug would be answered by 541, since a session survives its own.  Three layers are given what they
might not expect: the decoder any payload, the reader any bytes, and the session what a client
could have said, damaged.  Damage within frames gets further than damage between them, so most of it
is done there.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.errors import HardError
from ackproof.impl.wire.decoding import decode_method, read_properties
from ackproof.impl.wire.frames import FrameReader, Received
from hypothesis import given, settings
from hypothesis import strategies as st
from pamqp import commands
from pamqp.common import FieldTable

from tests.exploring import examples
from tests.impl.clients import HEADER, Wire, content, encode

START_OK = encode(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
TUNE_OK = encode(0, commands.Connection.TuneOk(2047, 131072, 0))
OPEN = encode(0, commands.Connection.Open())

ARGUMENTS: FieldTable = {"x-max-length": 3, "x": [1, {"y": None}], "alternate-exchange": "x"}
CC: dict[str, object] = {"CC": ["q", "p"], "BCC": ["none"], "deep": {"er": [1, 2]}}

#: What a client might say on channel 1, frame by frame.
SAID: list[bytes] = [
    encode(1, commands.Channel.Open()),
    encode(1, commands.Confirm.Select()),
    encode(1, commands.Exchange.Declare(exchange="x", exchange_type="topic", arguments={"a": 1})),
    encode(1, commands.Exchange.Declare(exchange="h", exchange_type="headers")),
    encode(1, commands.Exchange.Bind(destination="x", source="h", arguments={"x-match": "any"})),
    encode(1, commands.Exchange.Delete(exchange="h")),
    encode(1, commands.Queue.Declare(queue="q", durable=True)),
    encode(1, commands.Queue.Declare(queue="p", arguments=ARGUMENTS)),
    encode(1, commands.Queue.Declare(queue="", exclusive=True)),
    encode(1, commands.Queue.Bind(queue="q", exchange="x", routing_key="a.*.#")),
    encode(1, commands.Queue.Unbind(queue="q", exchange="x", routing_key="a.*.#")),
    encode(1, commands.Queue.Purge(queue="q")),
    encode(1, commands.Queue.Delete(queue="q")),
    encode(1, commands.Basic.Qos(0, 3, False)),
    encode(1, commands.Basic.Consume(queue="q", consumer_tag="c", arguments={"x-priority": 5})),
    encode(1, commands.Basic.Cancel(consumer_tag="c")),
    encode(1, commands.Basic.Get(queue="q")),
    encode(1, commands.Basic.Ack(1, True)),
    encode(1, commands.Basic.Nack(2, False, True)),
    encode(1, commands.Basic.Reject(1, True)),
    encode(1, commands.Basic.Recover(True)),
    encode(1, commands.Tx.Select()),
    encode(1, commands.Tx.Commit()),
    encode(1, commands.Channel.Flow(True)),
    encode(1, commands.Channel.Close(200, "", 0, 0)),
    encode(1, commands.Channel.CloseOk()),
    encode(0, commands.Connection.Close(200, "", 0, 0)),
    encode(0, commands.Connection.UpdateSecret("a", "b")),
    b"\x08\0\0\0\0\0\0\xce",
    *(encode(1, *content("q", mandatory=mandatory)) for mandatory in (True, False)),
    encode(1, *content("a.b.c", bytes(300), exchange="x", headers=CC, persistent=False)),
]

damage = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=3)


def damaged(said: bytes, changes: list[tuple[int, int]], *, within: bool) -> bytes:
    """Change bytes of one or several frames, within their payloads or anywhere."""
    result = bytearray()
    while said:
        (size,) = struct.unpack_from(">I", said, 3)
        one, said = bytearray(said[: size + 8]), said[size + 8 :]
        for place, byte in changes:
            if not within:
                one[place % len(one)] = byte
            elif size:
                one[7 + place % size] = byte
        result += one
    return bytes(result)


def refused(call: Callable[[], object]) -> int | None:
    """Call something; return the code of the error that it ends with, if it does."""
    try:
        call()
    except HardError as error:
        return error.code
    return None


def sound(wire: Wire, lines: list[str]) -> None:
    """Look whether a session, and the broker, have kept their wits."""
    lines += wire.commit()
    assert not [line for line in lines if " 541 " in line], lines
    other = Wire(wire.broker).opened().confirming()
    assert other.publish(1, "nowhere") == ["1 ack 1"], "others are not affected"
    wire.session.connection_lost()
    other.session.connection_lost()
    wire.commit()


@settings(max_examples=examples(150))
@given(
    st.lists(
        st.tuples(st.sampled_from(SAID), st.none() | damage, st.booleans()), min_size=1, max_size=8
    )
)
def test_what_a_client_says_may_be_damaged(
    said: list[tuple[bytes, list[tuple[int, int]] | None, bool]],
) -> None:
    wire = Wire(Broker()).opened()
    lines = []
    for one, changes, within in said:
        lines += wire.receive(damaged(one, changes, within=within) if changes else one)
        lines += wire.commit()
    sound(wire, lines)


#: What has the same answer each time: no name of the broker's choice.
SAME = [one for one in SAID if b"\x00\x32\x00\x0a\x00\x00\x00" not in one]
PUBLISHES = [one for one in SAME if one[7:11] == struct.pack(">HH", 60, 40)]


@settings(max_examples=examples(150))
@given(
    st.lists(
        st.tuples(st.sampled_from(SAME) | st.sampled_from(PUBLISHES), st.none() | damage),
        min_size=1,
        max_size=8,
    )
)
def test_it_makes_no_difference_whether_it_comes_together_or_in_small_pieces(
    said: list[tuple[bytes, list[tuple[int, int]] | None]],
) -> None:
    pieces = [damaged(one, changes, within=True) if changes else one for one, changes in said]
    stream = b"".join(pieces)
    together, bit_by_bit = (Wire(Broker()).opened().with_queue("q").confirming() for _ in range(2))
    together.session.receive(stream)
    for start in range(0, len(stream), 11):
        bit_by_bit.session.receive(stream[start : start + 11])
    answers = [wire.hear() + wire.commit() for wire in (together, bit_by_bit)]
    assert answers[0] == answers[1]


@settings(max_examples=examples(100))
@given(
    st.sampled_from([START_OK, START_OK + TUNE_OK, START_OK + TUNE_OK + OPEN]),
    damage,
    st.booleans(),
)
def test_a_handshake_may_be_damaged(
    said: bytes, changes: list[tuple[int, int]], within: bool
) -> None:
    wire = Wire()
    lines = wire.receive(HEADER)
    sound(wire, lines + wire.receive(damaged(said, changes, within=within)))


@settings(max_examples=examples(100))
@given(st.booleans(), st.binary(max_size=200))
def test_there_may_be_no_sense_in_it_at_all(opened: bool, noise: bytes) -> None:
    wire = Wire().opened() if opened else Wire()
    sound(wire, wire.receive(noise))


@settings(max_examples=examples(100))
@given(st.binary(max_size=400))
def test_the_reader_gives_frames_or_a_frame_error(noise: bytes) -> None:
    reader = FrameReader()
    reader.feed(noise)

    def read() -> None:
        while reader.next() is not None:
            pass

    assert refused(read) in (None, 501)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the codec, for one of them
@pytest.mark.parametrize("index", sorted(commands.INDEX_MAPPING))
@settings(max_examples=examples(15))
@given(st.binary(max_size=60))
def test_any_arguments_are_decoded_or_refused(index: int, arguments: bytes) -> None:
    payload = struct.pack(">I", index) + arguments
    raw = struct.pack(">BHI", 1, 1, len(payload)) + payload + b"\xce"
    assert refused(lambda: decode_method(Received(1, 1, raw))) in (None, 501)


@settings(max_examples=examples(300))
@given(st.integers(0, 0xFFFF), st.binary(max_size=120))
def test_any_properties_are_decoded_or_refused(flags: int, properties: bytes) -> None:
    said = struct.pack(">H", flags) + properties
    assert refused(lambda: read_properties(said)) in (None, 501)
