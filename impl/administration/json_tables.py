"""Arguments of queues, exchanges and bindings as JSON, and back.

JSON has one type of integer; what comes from there is a signed one of 64 bits, as with RabbitMQ.
What JSON has no room for is shown as RabbitMQ shows it: bytes as text as far as they are one, a
moment as its number of seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ackproof.impl.wire.tables import Table
from ackproof.impl.wire.values import INTEGERS, Timestamp

__all__ = ["from_json", "table_of", "to_json"]

_LONG = INTEGERS[b"l"]
_BITS = 63


def to_json(value: Any) -> Any:
    """Return a value of a field table as JSON has it."""
    if isinstance(value, Mapping):
        return {name: to_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(one) for one in value]
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode(errors="replace")
    if isinstance(value, str):
        return value.encode(errors="surrogateescape").decode(errors="replace")
    if isinstance(value, Timestamp):
        return int(value)
    return float(value) if isinstance(value, Decimal) else value


def from_json(value: Any) -> Any:
    """Return the value of a field table that JSON stands for.

    Raises:
        ValueError: a number is too large.
    """
    if isinstance(value, dict):
        return table_of(value)
    if isinstance(value, list):
        return [from_json(one) for one in value]
    if isinstance(value, int) and not isinstance(value, bool):
        if not -(1 << _BITS) <= value < 1 << _BITS:
            raise ValueError(f"{value} is too large for an argument; give 64 bits at most")
        return _LONG(value)
    return value


def table_of(value: Mapping[str, Any]) -> Table:
    """Return a field table for a JSON object.

    Raises:
        ValueError: a number is too large.
    """
    return {name: from_json(one) for name, one in value.items()}
