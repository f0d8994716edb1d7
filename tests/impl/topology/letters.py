"""What the tests of routing send: keys and headers, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ackproof.impl.topology.definitions import Binding, Destination, Exchange, Kind

__all__ = ["Letter", "binding", "exchange", "letter"]


class Letter(NamedTuple):
    """A message as routing sees it."""

    routing_keys: tuple[str, ...]
    headers: Mapping[str, Any] = {}


def letter(*keys: str, **headers: Any) -> Letter:
    """Return a message with these routing keys and headers."""
    return Letter(keys or ("",), headers)


def exchange(name: str, kind: str = "fanout", **properties: Any) -> Exchange:
    """Return an exchange; properties are those of `Exchange`."""
    return Exchange("/", name, kind, properties.pop("durable", False), **properties)


def binding(
    source: str, destination: str, key: str = "", arguments: Mapping[str, Any] | None = None
) -> Binding:
    """Return a binding; a destination that begins with `q` is a queue."""
    kind = Kind.QUEUE if destination.startswith("q") else Kind.EXCHANGE
    return Binding.of(exchange(source), Destination(kind, destination), key, arguments or {})
