"""Field tables as text, compared, and named."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from ackproof.impl.wire.tables import from_text, same, to_text
from ackproof.impl.wire.values import (
    INTEGERS,
    NAMES,
    Single,
    Timestamp,
    said,
    term,
    type_name,
)
from hypothesis import given
from hypothesis import strategies as st

NUMBERS = (
    st.sampled_from(sorted(INTEGERS))
    .map(INTEGERS.__getitem__)
    .flatmap(lambda kind: st.integers(-(2**31), 2**31 - 1).map(kind))
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | NUMBERS
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.floats(allow_nan=False, width=32).map(Single)
    | st.text()
    | st.binary()
    | st.binary().map(bytearray)
    | st.decimals(allow_nan=False, allow_infinity=False),
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
    ("one", "other"), [(1, True), (0, False), ("1", 1), (1, Decimal(1)), ([1], [INTEGERS[b"l"](1)])]
)
def test_values_of_different_classes_are_different(one: object, other: object) -> None:
    assert not same(one, other)
    assert not same([one], [other])
    assert not same({"k": one}, {"k": other})
    assert to_text({"k": one}) != to_text({"k": other})


@pytest.mark.parametrize("other", [1, 1.0, INTEGERS[b"b"](1), Single(1), Timestamp(1)])
def test_numbers_are_compared_by_value(other: object) -> None:
    assert same(INTEGERS[b"l"](1), other)
    assert not same(INTEGERS[b"l"](2), other)


def test_texts_are_compared_by_their_bytes() -> None:
    assert same("a", b"a")
    assert same("a", bytearray(b"a"))
    assert not same("a", bytearray(b"b"))


def test_one_number_of_two_types_is_two_texts() -> None:
    texts = {to_text({"k": kind(1)}) for kind in INTEGERS.values()}
    assert len(texts) == len(set(INTEGERS.values()))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "bool"),
        (5, "signedint"),
        (2**31, "long"),
        (1.5, "double"),
        ("", "longstr"),
        (Decimal(1), "decimal"),
        (bytearray(), "binary"),
        *((kind(5), NAMES[kind]) for kind in INTEGERS.values()),
        (Single(5), "float"),
        ({}, "table"),
        ([], "array"),
        (None, "void"),
    ],
)
def test_types_have_the_names_that_rabbitmq_gives_them(value: object, name: str) -> None:
    assert type_name(value) == name


@pytest.mark.parametrize(
    ("value", "alone", "inside"),
    [
        (True, "true", "true"),
        (None, "undefined", "undefined"),
        ("text", "text", '<<"text">>'),
        (bytearray(b"ab"), "ab", '<<"ab">>'),
        (5.0, "5.0", "5.0"),
        (Decimal("0.05"), "{2,5}", "{2,5}"),
        ({"a": INTEGERS[b"b"](1)}, '[{<<"a">>,byte,1}]', '[{<<"a">>,byte,1}]'),
        ([1, "x"], '[{signedint,1},{longstr,<<"x">>}]', '[{signedint,1},{longstr,<<"x">>}]'),
    ],
)
def test_values_are_shown_as_rabbitmq_shows_them(value: object, alone: str, inside: str) -> None:
    assert said(value) == alone
    assert term(value) == inside
