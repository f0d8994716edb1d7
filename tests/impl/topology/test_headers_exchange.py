"""Headers exchanges: what agrees with what; each case was asked of RabbitMQ 3.10.8."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from ackproof.impl.errors import SoftError
from ackproof.impl.topology.headers_exchange import Headers

from tests.impl.topology.letters import Letter, binding

AGREE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"a": 1}, {"a": 1}),
    ({"a": 1}, {"a": 1.0}),
    ({"a": 1.0}, {"a": 1.0}),
    ({"a": None}, {"a": 1}),
    ({"a": None}, {"a": None}),
    ({"a": [1, 2]}, {"a": [1, 2]}),
    ({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}),
    ({"a": [{"x": 1, "y": 2}]}, {"a": [{"y": 2, "x": 1}]}),
    ({}, {"a": 1}),
    ({"x-a": 1}, {"x-a": 2}),
    ({"x-match": "all-with-x", "x-a": 1}, {"x-a": 1}),
    ({"x-match": "any-with-x", "x-a": 1}, {"x-a": 1}),
    ({"x-match": "any", "a": None}, {"a": 5}),
    ({"x-match": "any", "a": 1, "b": 2}, {"a": 1, "b": 3}),
    ({"x-match": "any", "a": 1, "b": 2}, {"b": 2}),
]

DISAGREE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"a": True}, {"a": 1}),
    ({"a": 1}, {"a": True}),
    ({"a": None}, {"b": 1}),
    ({"a": 1}, {"a": None}),
    ({"a": "1"}, {"a": 1}),
    ({"a": 1}, {"a": Decimal(1)}),
    ({"a": [1]}, {"a": [1000]}),
    ({"a": 1}, {}),
    ({"a": 1, "b": 2}, {"a": 1, "b": 3}),
    ({"x-match": "all-with-x", "x-a": 1}, {"x-a": 2}),
    ({"x-match": "any", "x-a": 1}, {"x-a": 1}),
    ({"x-match": "any"}, {"a": 1}),
    ({"x-match": "any-with-x"}, {"x-a": 1}),
    ({"x-match": "any-with-x"}, {"x-match": "any-with-x"}),
]


def agree(arguments: dict[str, Any], headers: dict[str, Any]) -> bool:
    """Tell whether a message with these headers takes a binding with these arguments."""
    exchange = Headers()
    exchange.add(binding("h", "q", "", arguments))
    return bool(list(exchange.match(Letter(("",), headers))))


@pytest.mark.parametrize(("arguments", "headers"), AGREE)
def test_what_agrees_in_rabbitmq_agrees(arguments: dict[str, Any], headers: dict[str, Any]) -> None:
    assert agree(arguments, headers)


@pytest.mark.parametrize(("arguments", "headers"), DISAGREE)
def test_what_disagrees_there_disagrees(arguments: dict[str, Any], headers: dict[str, Any]) -> None:
    assert not agree(arguments, headers)


def test_an_x_match_that_is_none_of_the_four_is_refused() -> None:
    with pytest.raises(SoftError) as error:
        Headers.check({"x-match": "some"})
    assert error.value.text == (
        'PRECONDITION_FAILED - Invalid x-match field value <<"some">>; '
        "expected all, any, all-with-x, or any-with-x"
    )


def test_an_x_match_that_is_no_text_is_refused() -> None:
    with pytest.raises(SoftError) as error:
        Headers.check({"x-match": 5})
    assert error.value.text == (
        "PRECONDITION_FAILED - Invalid x-match field type signedint (value 5); expected longstr"
    )
