"""The address of a broker, with what is usual for what is missing."""

from __future__ import annotations

import pytest
from ackproof.conform.kit.url import Address, parse


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("amqp://broker", Address("broker", 5672, "guest", "guest", "/")),
        ("amqp://broker/", Address("broker", 5672, "guest", "guest", "/")),
        ("amqp://a:b@127.0.0.1:1/v", Address("127.0.0.1", 1, "a", "b", "v")),
        ("amqp://a%40x:b%2F@[::1]/%2fv", Address("::1", 5672, "a@x", "b/", "/v")),
        ("amqp://a:@broker", Address("broker", 5672, "a", "", "/")),
    ],
)
def test_an_address_is_read(text: str, address: Address) -> None:
    assert parse(text) == address


def test_the_password_is_not_shown() -> None:
    assert str(parse("amqp://a:secret@broker/v")) == "amqp://a@broker:5672/v"


@pytest.mark.parametrize(
    "text", ["broker", "amqp:///v", "amqp://b:70000", "amqp://b/?x=1", "http://b"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"give one as amqp://guest:guest@127.0.0.1:5672/"):
        parse(text)
