"""Field tables as text, compared, and named."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from ackproof.impl.wire.tables import from_text, same, to_text, type_name
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.binary().map(bytearray)
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(st.text(), VALUES, max_size=4)


@given(TABLES)
def test_a_table_comes_back_from_its_text(table: dict[str, Any]) -> None:
    again = from_text(to_text(table))
    assert same(again, table)
    assert to_text(again) == to_text(table)


@given(TABLES)
def test_the_order_of_names_does_not_matter(table: dict[str, Any]) -> None:
    assert to_text(dict(reversed(table.items()))) == to_text(table)


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0, False), ("a", b"a"), (b"a", bytearray(b"a")), (1, Decimal(1))]
)
def test_values_of_different_types_are_different(one: object, other: object) -> None:
    assert not same(one, other)
    assert not same([one], [other])
    assert not same({"k": one}, {"k": other})
    assert to_text({"k": one}) != to_text({"k": other})


def test_numbers_are_compared_by_value() -> None:
    assert same(1, 1.0)
    assert same([{"k": 1}], [{"k": 1.0}])
    assert not same(1, 1.5)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "bool"),
        (5, "signedint"),
        (2**31, "long"),
        (1.5, "double"),
        ("", "longstr"),
        (Decimal(1), "decimal"),
        (datetime(2000, 1, 1, tzinfo=UTC), "timestamp"),
        ({}, "table"),
        ([], "array"),
        (None, "void"),
    ],
)
def test_types_have_the_names_that_rabbitmq_gives_them(value: object, name: str) -> None:
    assert type_name(value) == name
