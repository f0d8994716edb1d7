"""Field tables: the named arguments of declarations and bindings, and the headers of messages.

A table goes two ways.  It is *text*, one and the same for equal tables, in which arguments are kept
on the disk and by which one binding is told from another; there the types of numbers matter.  And
its values are *compared* with those of another, as the headers exchange does it; there all numbers
are of one class, moments among them, and all texts of another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from ackproof.impl.wire.texts import to_bytes
from ackproof.impl.wire.values import NAMES, type_name

__all__ = ["Table", "from_text", "same", "to_text"]

#: Values by name, as `ackproof.impl.wire.table_reader` gives them.
Table = Mapping[str, Any]

#: What a text says for a type whose values are not always texts themselves.
_OCTETS = "octets"


def same(one: object, other: object) -> bool:
    """Tell whether two values are equal: numbers and texts by value, all others by type too."""
    if _is_number(one) and _is_number(other):
        return one == other
    if isinstance(one, _TEXTS) and isinstance(other, _TEXTS):
        return _bytes(one) == _bytes(other)
    return type(one) is type(other) and _plain(one) == _plain(other)


_TEXTS = (str, bytes, bytearray)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bytes(value: str | bytes | bytearray) -> bytes:
    return to_bytes(value) if isinstance(value, str) else bytes(value)


# -- text -----------------------------------------------------------------------------------------


def to_text(table: Table) -> str:
    """Return a table as text: the same for equal tables, and of one line."""
    return json.dumps(_plain(dict(table))[1], sort_keys=True, separators=(",", ":"))


def from_text(text: str) -> dict[str, Any]:
    """Return the table that a text of `to_text` stands for."""
    table: dict[str, Any] = _restored(["table", json.loads(text)])
    return table


def _plain(value: Any) -> list[Any]:
    tag = _OCTETS if type(value) is bytes else type_name(value)
    plain = _TO_JSON.get(tag)
    return [tag, value if plain is None else plain(value)]


def _restored(plain: list[Any]) -> Any:
    tag, value = plain
    return _FROM_JSON[tag](value)


_TO_JSON: dict[str, Callable[[Any], Any]] = {
    _OCTETS: lambda value: value.hex(),
    "binary": lambda value: value.hex(),
    "decimal": str,
    "table": lambda value: {name: _plain(item) for name, item in value.items()},
    "array": lambda value: [_plain(item) for item in value],
}

#: Most values are restored by their types.
_FROM_JSON: dict[str, Callable[[Any], Any]] = {
    **{name: kind for kind, name in NAMES.items()},
    "longstr": str,
    "void": lambda _: None,
    _OCTETS: bytes.fromhex,
    "binary": bytearray.fromhex,
    "decimal": Decimal,
    "table": lambda value: {name: _restored(item) for name, item in value.items()},
    "array": lambda value: [_restored(item) for item in value],
}
