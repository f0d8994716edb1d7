"""Field tables: the named arguments of declarations and bindings, and the headers of messages.

A table goes three ways.  It is *text*, one and the same for equal tables, in which arguments are
kept on the disk and by which one binding is told from another.  It is *compared* with another, as
the headers exchange does: by value, where all numbers are of one class and a truth value is none.
And its values are *named by type* when a client is told that one is wrong.

The codec has turned wire types into Python's by then, and the width of an integer is lost; a text
for a client names the width that most clients use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

__all__ = ["Table", "from_text", "said", "same", "to_text", "type_name"]

#: Values by name, as the codec gives them.
Table = Mapping[str, Any]

_SIGNED_INT_MAX = 2**31
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# A tag for each Python type that the codec gives, and the name that the protocol has for it.
# The order matters: bool is an int to Python.
_TYPES: tuple[tuple[type, str, str], ...] = (
    (bool, "t", "bool"),
    (int, "i", "long"),
    (float, "d", "double"),
    (str, "S", "longstr"),
    (bytes, "B", "longstr"),
    (bytearray, "x", "binary"),
    (Decimal, "D", "decimal"),
    (datetime, "T", "timestamp"),
    (dict, "F", "table"),
    (list, "A", "array"),
    (type(None), "V", "void"),
)
_NUMBERS = {"i", "d"}


def _tag(value: object) -> str:
    return next(tag for kind, tag, _ in _TYPES if isinstance(value, kind))


def type_name(value: object) -> str:
    """Return the name of a value's type, as RabbitMQ says it."""
    if type(value) is int and -_SIGNED_INT_MAX <= value < _SIGNED_INT_MAX:
        return "signedint"
    return next(name for kind, _, name in _TYPES if isinstance(value, kind))


def said(value: object) -> str:
    """Return a value as it stands in a text for a client."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def same(one: object, other: object) -> bool:
    """Tell whether two values are equal: the numbers by value, all others by type and value."""
    tags = {_tag(one), _tag(other)}
    if len(tags) > 1:
        return tags == _NUMBERS and one == other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


# -- text -----------------------------------------------------------------------------------------


def to_text(table: Table) -> str:
    """Return a table as text: the same for equal tables, and of one line."""
    return json.dumps(_plain(dict(table))[1], sort_keys=True, separators=(",", ":"))


def from_text(text: str) -> dict[str, Any]:
    """Return the table that a text of `to_text` stands for."""
    table: dict[str, Any] = _restored(["F", json.loads(text)])
    return table


def _plain(value: Any) -> list[Any]:
    tag = _tag(value)
    plain = _TO_JSON.get(tag)
    return [tag, value if plain is None else plain(value)]


def _restored(plain: list[Any]) -> Any:
    tag, value = plain
    restore = _FROM_JSON.get(tag)
    return value if restore is None else restore(value)


_TO_JSON: dict[str, Callable[[Any], Any]] = {
    "B": lambda value: value.hex(),
    "x": lambda value: value.hex(),
    "D": str,
    "T": lambda value: (value - _EPOCH) // _MICROSECOND,
    "F": lambda value: {name: _plain(item) for name, item in value.items()},
    "A": lambda value: [_plain(item) for item in value],
}

_FROM_JSON: dict[str, Callable[[Any], Any]] = {
    "B": bytes.fromhex,
    "x": bytearray.fromhex,
    "D": Decimal,
    "T": lambda value: _EPOCH + value * _MICROSECOND,
    "F": lambda value: {name: _restored(item) for name, item in value.items()},
    "A": lambda value: [_restored(item) for item in value],
}
