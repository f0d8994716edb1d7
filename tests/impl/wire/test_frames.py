"""Where frames begin and end, and what is inside them: field tables above all."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from ackproof.impl.errors import HardError, octets
from ackproof.impl.wire.decoding import (
    decode_method,
    drop_header,
    read_headers,
    read_properties,
    split_header,
)
from ackproof.impl.wire.frames import (
    FrameReader,
    Received,
)
from ackproof.impl.wire.table_reader import TableError, read_table, without_field
from ackproof.impl.wire.texts import readable, to_bytes
from hypothesis import given
from hypothesis import strategies as st
from pamqp import base, commands, header
from pamqp import encode as codec
from pamqp.common import FieldTable, FieldValue

from tests.impl.clients import Wire, content, encode

DEPTH = 128


def received(kind: int, payload: bytes, channel: int = 1) -> Received:
    """Return a frame as the reader gives it."""
    return Received(
        kind, channel, struct.pack(">BHI", kind, channel, len(payload)) + payload + b"\xce"
    )


def nested(depth: int, letter: bytes = b"F") -> bytes:
    """Return a field table with so many levels, of tables or of arrays."""
    inner = struct.pack(">I", 0)
    for level in range(depth - 1, 0, -1):
        name = b"" if letter == b"A" and level > 1 else b"\x01k"
        inner = name + letter + inner
        inner = struct.pack(">I", len(inner)) + inner
    return inner


def declare(table: bytes) -> bytes:
    """Return the payload of a queue.declare with these arguments."""
    return struct.pack(">HHH", 50, 10, 0) + b"\x01q" + b"\0" + table


# -- cutting ------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 40)), st.data())
def test_frames_are_the_same_however_the_bytes_come_in(
    sizes: list[int], data: st.DataObject
) -> None:
    frames = [received(3, bytes(size), channel=size) for size in sizes]
    stream = b"".join(frame.raw for frame in frames)
    reader = FrameReader()
    found = []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        reader.feed(stream[:cut])
        stream = stream[cut:]
        while (frame := reader.next()) is not None:
            found.append(frame)
    assert found == frames


def test_a_frame_that_is_wrong_inside_does_not_hide_the_next() -> None:
    reader = FrameReader()
    reader.feed(received(7, b"x").raw + received(8, b"").raw)
    with pytest.raises(HardError, match=r'501 FRAME_ERROR - type 7, .*<<"x">>: unknown_frame'):
        reader.next()
    assert reader.next() == received(8, b"")


def test_after_a_missing_end_mark_nothing_is_read() -> None:
    reader = FrameReader()
    reader.feed(received(8, b"").raw[:-1] + b"!" + received(8, b"").raw)
    with pytest.raises(HardError, match=r"501 FRAME_ERROR - .*{invalid_frame_end_marker,33}"):
        reader.next()
    assert reader.broken
    reader.feed(received(8, b"").raw)
    assert reader.next() is None


def test_a_frame_that_is_too_long_is_refused_by_its_header() -> None:
    reader = FrameReader(4096)
    reader.feed(struct.pack(">BHI", 1, 0, 4097))
    with pytest.raises(HardError, match=r"501 FRAME_ERROR - .*{frame_too_large,4097,4088}"):
        reader.next()


# -- publishes that come whole --------------------------------------------------------------------

METHOD, HEADER, BODY = (encode(1, one) for one in content("q", b"hello"))


def reading(data: bytes, frame_max: int = 4096) -> FrameReader:
    """Return a reader that was given these bytes."""
    reader = FrameReader(frame_max)
    reader.feed(data)
    return reader


def test_a_publish_that_lies_there_whole_is_found_and_stays_until_it_is_taken() -> None:
    reader = reading(METHOD + HEADER + BODY + HEADER)
    whole = reader.whole_publish()
    assert whole is not None
    assert (whole.channel, whole.body) == (1, b"hello")
    assert (whole.method, whole.header) == (METHOD[7:-1], HEADER[7:-1])
    assert reader.whole_publish() == whole
    reader.take(whole)
    following = reader.next()
    assert following is not None
    assert following.raw == HEADER


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(METHOD + HEADER + BODY[:-1] + b"!", id="an end mark is wrong"),
        pytest.param(METHOD[:-1] + b"!" + HEADER + BODY, id="another one is"),
        pytest.param(METHOD + encode(2, *content("q"))[len(METHOD) :], id="another channel"),
        pytest.param(METHOD + METHOD + BODY, id="no header"),
        pytest.param(METHOD + HEADER + HEADER, id="no body"),
        pytest.param(METHOD + HEADER + received(3, b"hell").raw, id="a part of the body"),
        pytest.param(METHOD + HEADER + received(3, b"hello!").raw, id="too much of it"),
        pytest.param(encode(1, *content("q", b"")), id="none of it"),
        pytest.param(
            encode(1, *content("q", b"")) + received(3, b"").raw, id="an empty frame of none"
        ),
        pytest.param(
            METHOD + received(2, b"\0\x3c" + bytes(9)).raw + received(3, bytes(0xCE)).raw,
            id="a header that ends in its size",
        ),
        pytest.param(encode(1, commands.Basic.Get(queue="q")) + HEADER + BODY, id="no publish"),
    ],
)
def test_what_is_unusual_is_looked_at_frame_by_frame(data: bytes) -> None:
    assert reading(data).whole_publish() is None


def test_a_publish_that_has_not_come_entirely_is_no_whole_one() -> None:
    data = METHOD + HEADER + BODY
    assert not [n for n in range(len(data)) if reading(data[:n]).whole_publish()]


def test_a_publish_with_a_frame_that_is_too_long_is_no_whole_one() -> None:
    data = encode(1, *content("q", bytes(5000)))
    assert reading(data).whole_publish() is None
    assert reading(data, 131072).whole_publish() is not None


# -- bytes in words -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "<<>>"),
        (b"abc", '<<"abc">>'),
        (b"a\0", "<<97,0>>"),
        (b"x" * 65, '<<"' + "x" * 64 + '...">>'),
    ],
)
def test_bytes_are_quoted_as_rabbitmq_does_up_to_a_point(data: bytes, text: str) -> None:
    assert octets(data) == text


# -- field tables -------------------------------------------------------------------------------


def tables() -> st.SearchStrategy[FieldTable]:
    """Return tables of everything that clients put into tables."""
    plain = (
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, width=32)
        | st.text(max_size=20)
        | st.binary(max_size=20).map(bytearray)
        | st.integers(0, 2**31 - 1).map(lambda number: Decimal(number) / 100)
        | st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1)).map(
            lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
        )
    )
    names = st.text(st.characters(codec="ascii"), min_size=1, max_size=20)
    values: st.SearchStrategy[FieldValue] = st.recursive(
        plain,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
        max_leaves=10,
    )
    return st.dictionaries(names, values, max_size=5)


@given(tables())
def test_a_table_is_read_as_it_was_written(table: FieldTable) -> None:
    written = codec.field_table(table)
    expected = (in_seconds(table), 6 + len(written))
    assert read_table(b"before" + written + b"after", 6, DEPTH) == expected


def in_seconds(value: Any) -> Any:
    """Return a value with its moments as seconds since 1970."""
    if isinstance(value, datetime):
        return int(value.timestamp())
    if isinstance(value, dict):
        return {name: in_seconds(one) for name, one in value.items()}
    return [in_seconds(one) for one in value] if isinstance(value, list) else value


@given(tables(), st.data())
def test_a_table_that_was_cut_is_refused(table: FieldTable, data: st.DataObject) -> None:
    written = codec.field_table(table)
    cut = data.draw(st.integers(0, len(written) - 1))
    with pytest.raises(TableError):
        read_table(written[:cut], 0, DEPTH)


@given(st.binary(max_size=60))
def test_a_table_of_random_bytes_is_read_or_refused(data: bytes) -> None:
    try:
        _, end = read_table(struct.pack(">I", len(data)) + data, 0, DEPTH)
    except TableError:
        return
    assert end == len(data) + 4


@pytest.mark.parametrize("letter", [b"F", b"A"])
def test_the_depth_of_a_table_is_limited(letter: bytes) -> None:
    assert read_table(nested(DEPTH, letter), 0, DEPTH)[1] == len(nested(DEPTH, letter))
    for depth in (DEPTH + 1, 1_000, 10_000):
        with pytest.raises(TableError, match="nested deeper than 128 levels"):
            read_table(nested(depth, letter), 0, DEPTH)


def test_a_value_may_not_be_longer_than_its_table() -> None:
    inner = b"\x01kS" + struct.pack(">I", 10) + b"abc"
    outer = struct.pack(">I", len(inner)) + inner + b"more than that"
    with pytest.raises(TableError, match="longer than the table"):
        read_table(outer, 0, DEPTH)


@pytest.mark.parametrize("value", [b"l" + bytes(4), b"t", b"T" + bytes(7)])
def test_a_value_of_fixed_length_ends_with_its_table_too(value: bytes) -> None:
    table = struct.pack(">I", 2 + len(value)) + b"\x01k" + value
    with pytest.raises(TableError, match="cannot be read"):
        read_table(table + b"more than that", 0, DEPTH)


def test_a_type_that_nobody_knows_is_refused() -> None:
    with pytest.raises(TableError, match="type b'Z'"):
        read_table(struct.pack(">I", 3) + b"\x01kZ", 0, DEPTH)


def test_a_moment_that_no_calendar_has_is_a_number() -> None:
    inner = b"\x01kT" + b"\xff" * 8
    table, _ = read_table(struct.pack(">I", len(inner)) + inner, 0, DEPTH)
    assert table == {"k": 2**64 - 1}


def test_text_that_is_no_utf_8_can_be_told_from_any_other() -> None:
    inner = b"\x01\xffS\0\0\0\x02\xff\xfe"
    table, _ = read_table(struct.pack(">I", len(inner)) + inner, 0, DEPTH)
    assert {to_bytes(name): to_bytes(text) for name, text in table.items()} == {
        b"\xff": b"\xff\xfe"
    }
    assert list(map(readable, table.values())) == ["\\xff\\xfe"]


# -- methods and headers ------------------------------------------------------------------------


METHODS: list[base.Frame] = [
    commands.Connection.StartOk({"a": {"b": 1}}, "PLAIN", "x", "en_US"),
    commands.Queue.Declare(queue="q", durable=True, nowait=True, arguments={"a": [1]}),
    commands.Basic.Consume(queue="q", consumer_tag="c", no_ack=True, arguments={"x-priority": 1}),
    commands.Basic.Ack(7, False),
    commands.Basic.Ack(2**63 - 1, True),
    commands.Basic.Nack(7, True, False),
    commands.Exchange.Bind(destination="d", source="s", routing_key="k", arguments={"a": "b"}),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_method_is_decoded_as_it_was_encoded(method: base.Frame) -> None:
    assert dict(decode_method(Received(1, 1, encode(1, method)))) == dict(method)


def test_properties_are_decoded_on_both_sides_of_the_headers() -> None:
    said_to_be: dict[str, Any] = {
        "content_type": "text/plain",
        "content_encoding": "utf-8",
        "headers": {"a": {"b": [1, 2]}},
        "delivery_mode": 2,
        "priority": 3,
        "message_id": "m",
        "app_id": "app",
    }
    moment = datetime(2020, 1, 1, tzinfo=UTC)
    properties = commands.Basic.Properties(**said_to_be, timestamp=moment)
    head = header.ContentHeader(0, 5, properties)
    class_id, size, said = split_header(head.marshal())
    assert (class_id, size) == (60, 5)
    assert read_properties(said) == {**said_to_be, "timestamp": int(moment.timestamp())}
    assert read_headers(head.marshal()) == {"a": {"b": [1, 2]}}
    assert read_headers(header.ContentHeader(0, 5).marshal()) == {}


def test_text_that_is_no_text_is_refused_where_it_must_be_text() -> None:
    wire = Wire().opened()
    payload = struct.pack(">HHHB", 50, 10, 0, 2) + b"\xff\xfe" + bytes(5)
    assert wire.receive(received(1, payload).raw) == [
        "0 Connection.Close 501 FRAME_ERROR - Malformed UTF-8 in shortstr"
    ]


@given(tables())
def test_a_field_is_dropped_and_the_others_are_not_touched(table: FieldTable) -> None:
    written = codec.field_table(table)
    assert without_field(codec.field_table({"BCC": ["q"], **table}), "BCC") == written
    for name in table:
        rest = {other: value for other, value in table.items() if other != name}
        assert without_field(written, name) == codec.field_table(rest)


def test_blind_copies_are_dropped_and_what_the_codec_would_change_is_not() -> None:
    odd = b"\x01kS\0\0\0\x02\xff\xfe" + b"\x01tT" + b"\xff" * 8
    blind = b"\x03BCCA\0\0\0\x06S\0\0\0\x01q"

    def properties(fields: bytes) -> bytes:
        table = struct.pack(">I", len(fields)) + fields
        return struct.pack(">HHQH", 60, 0, 0, 0xB000) + b"\x01c" + table + b"\x02"

    assert drop_header(properties(odd + blind), "BCC") == properties(odd)


@pytest.mark.parametrize("letter", [b"F", b"A"])
def test_arguments_nested_too_deep_close_the_connection(letter: bytes) -> None:
    wire = Wire().opened()
    answer = wire.receive(received(1, declare(nested(1_000, letter))).raw)
    assert answer == [
        "0 Connection.Close 501 FRAME_ERROR - "
        "cannot decode: a field table is nested deeper than 128 levels"
    ]


@pytest.mark.parametrize("letter", [b"F", b"A"])
def test_headers_nested_too_deep_close_the_connection(letter: bytes) -> None:
    wire = Wire().opened()
    payload = struct.pack(">HHQH", 60, 0, 0, 0x2000) + nested(1_000, letter)
    answer = wire.receive(encode(1, content("q")[0]) + received(2, payload).raw)
    assert answer == [
        "0 Connection.Close 501 FRAME_ERROR - "
        "cannot decode: a field table is nested deeper than 128 levels"
    ]


def test_headers_nested_as_deep_as_allowed_come_back_as_they_were() -> None:
    wire = Wire().opened()
    payload = struct.pack(">HHQH", 60, 0, 0, 0x2000) + nested(DEPTH)
    wire.session.receive(encode(1, content("none", mandatory=True)[0]) + received(2, payload).raw)
    wire.broker.run(idle=True)
    assert received(2, payload).raw in wire.session.take_output()


def test_a_table_of_very_many_fields_is_taken() -> None:
    wire = Wire().opened()
    fields = b"".join(b"\x05%05dt\x01" % number for number in range(15_000))
    answer = wire.receive(received(1, declare(struct.pack(">I", len(fields)) + fields)).raw)
    assert answer == ["1 Queue.DeclareOk q 0"]
