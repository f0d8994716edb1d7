"""Properties and tables as bytes: what is taken apart is put together again as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from ackproof.impl.wire import encoded_fields
from hypothesis import given, settings
from hypothesis import strategies as st
from pamqp import commands, decode, encode, header

from tests.exploring import examples

TABLE = {
    "text": "é",
    "truth": True,
    "small": 5,
    "large": 2**40,
    "negative": -3,
    "float": 1.5,
    "decimal": Decimal("1.5"),
    "moment": datetime(2020, 1, 1, tzinfo=UTC),
    "nothing": None,
    "bytes": bytearray(b"\x00\x01"),
    "table": {"a": {"b": 1}},
    "array": [1, "two", [3], {"four": 4}],
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text() | st.floats(width=32),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=9,
)


def test_every_type_of_value_is_found_and_kept() -> None:
    raw = encode.field_table(TABLE)
    values = encoded_fields.split_table(raw)
    assert set(values) == set(TABLE)
    assert encoded_fields.table(values) == b"F" + raw


@settings(max_examples=examples(60))
@given(st.dictionaries(st.text(max_size=9), VALUES))
def test_a_table_is_put_together_as_it_was(table: dict[str, object]) -> None:
    raw = encode.field_table(table)  # type: ignore[arg-type]
    assert encoded_fields.table(encoded_fields.split_table(raw)) == b"F" + raw


@settings(max_examples=examples(60))
@given(st.lists(VALUES))
def test_an_array_is_put_together_as_it_was(items: list[object]) -> None:
    raw = encode.field_array(items)  # type: ignore[arg-type]
    values = encoded_fields.split_array(raw)
    assert len(values) == len(items)
    assert encoded_fields.array(values) == b"A" + raw


def test_properties_are_put_together_as_they_were() -> None:
    properties = commands.Basic.Properties(
        content_type="t",
        headers={"a": 1},
        delivery_mode=2,
        priority=3,
        expiration="5",
        timestamp=datetime(2020, 1, 1, tzinfo=UTC),
        app_id="me",
    )
    raw = header.ContentHeader(0, 7, properties).marshal()
    found = encoded_fields.split_properties(raw)
    assert list(found) == [
        "content_type",
        "headers",
        "delivery_mode",
        "priority",
        "expiration",
        "timestamp",
        "app_id",
    ]
    assert encoded_fields.join_properties(raw, found) == raw
    del found["expiration"]
    shorter = header.ContentHeader()
    shorter.unmarshal(encoded_fields.join_properties(raw, found))
    assert shorter.properties.expiration is None
    assert shorter.properties.app_id == "me"
    assert shorter.body_size == 7


def test_values_are_what_the_codec_reads() -> None:
    raw = encoded_fields.table(
        {
            "n": encoded_fields.integer(-1),
            "s": encoded_fields.text("é"),
            "t": encoded_fields.timestamp(86400),
            "a": encoded_fields.array([encoded_fields.text("x"), encoded_fields.table({})]),
        }
    )
    _, table = decode.field_table(raw[1:])
    moment = datetime(1970, 1, 2, tzinfo=UTC)
    assert table == {"n": -1, "s": "é", "t": moment, "a": ["x", {}]}


@pytest.mark.parametrize("value", [0, 5, -5, 300, -300, 70000, -70000, 2**40, -(2**40)])
def test_integers_of_all_widths_are_read(value: int) -> None:
    raw = encoded_fields.split_table(encode.field_table({"n": value}))["n"]
    assert encoded_fields.integer_of(raw) == value


def test_what_is_no_text_and_no_integer_is_said_so() -> None:
    assert encoded_fields.text_of(encoded_fields.integer(1)) is None
    assert encoded_fields.text_of(None) is None
    assert encoded_fields.integer_of(encoded_fields.text("1")) == 0
    assert encoded_fields.integer_of(None) == 0
