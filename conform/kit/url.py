"""Addresses of brokers: amqp://NAME:PASSWORD@HOST:PORT/VHOST; what is missing is as usual."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

__all__ = ["Address", "parse"]

_PORT = 5672


class Address(NamedTuple):
    """Where a broker is, and who connects."""

    host: str
    port: int
    user: str
    password: str
    vhost: str

    def __str__(self) -> str:
        """Return it without the password."""
        return f"amqp://{self.user}@{self.host}:{self.port}/{self.vhost.removeprefix('/')}"


def parse(text: str) -> Address:
    """Return what an address means.

    Raises:
        ValueError: it is none; the text says what to write instead.
    """
    usual = "amqp://guest:guest@127.0.0.1:5672/"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"{text!r} is no address: {error}; give one as {usual}") from None
    if parts.scheme == "amqps":
        raise ValueError(
            f"{text!r} wants TLS, which this command does not speak; give a port without TLS, or a "
            "tunnel to it"
        )
    if parts.scheme != "amqp" or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"{text!r} is no address of a broker; give one as {usual}")
    return Address(
        host=parts.hostname,
        port=_PORT if port is None else port,
        user=unquote(parts.username) if parts.username else "guest",
        password=unquote(parts.password) if parts.password is not None else "guest",
        vhost=unquote(parts.path[1:]) or "/",
    )
