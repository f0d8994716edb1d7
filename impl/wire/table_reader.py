"""Field tables, as clients send them.

A table maps names to values, and a value may be a table or an array again.  The codec reads them by
recursion, and copies what is left of a table for each of its fields: a table nested deep enough
ends it, and a single frame of very many small fields keeps it busy for seconds.  Both are a
client's choice, so tables are read here, without recursion, in time that grows with their size.
What a single value is, the codec says, unless its type would be lost
(`ackproof.impl.wire.values`).

It is strict where the codec is not: every value ends within the table that it is in.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

from ackproof.impl.wire.texts import from_bytes, to_bytes
from ackproof.impl.wire.values import INTEGERS, SIZES, Single, read_integer
from pamqp import decode

__all__ = ["TableError", "read_table", "without_field"]

#: Types whose values begin with their length.
_LONG = (b"S", b"x")
_TABLE, _ARRAY = b"F", b"A"
_LENGTH = struct.Struct(">I")
_SINGLE = struct.Struct(">f")


class TableError(Exception):
    """This is no table, or one that is nested too deep."""


class _Level:
    """A table or an array that is being read, up to its end."""

    __slots__ = ("end", "into")

    def __init__(self, into: dict[str, Any] | list[Any], end: int) -> None:
        self.into = into
        self.end = end


def read_table(data: bytes, start: int, depth_max: int) -> tuple[dict[str, Any], int]:
    """Read a field table.

    Args:
        data: what it is in.
        start: where its length begins.
        depth_max: levels at most, of tables and arrays; a table without either has one.

    Returns:
        The table, and where it ends.

    Raises:
        TableError: it cannot be read, or is nested deeper than that.
    """
    table: dict[str, Any] = {}
    try:
        levels = [_Level(table, _end(data, start, len(data)))]
        at = start + _LENGTH.size
        while levels:
            level = levels[-1]
            if at == level.end:
                levels.pop()
                continue
            at = _read_field(data, at, levels)
            if len(levels) > depth_max:
                raise TableError(f"a field table is nested deeper than {depth_max} levels")
    except (ValueError, LookupError, struct.error):
        raise TableError("a field table cannot be read") from None
    return table, at


def _read_field(data: bytes, at: int, levels: list[_Level]) -> int:
    """Read one field, or begin the table or array that it is; return where to go on."""
    level = levels[-1]
    name = ""
    if isinstance(level.into, dict):
        after = at + 1 + data[at]
        name = from_bytes(data[at + 1 : after])
        at = after
    kind = data[at : at + 1]
    at += 1
    if kind in (_TABLE, _ARRAY):
        inner: dict[str, Any] | list[Any] = {} if kind == _TABLE else []
        levels.append(_Level(inner, _end(data, at, level.end)))
        at += _LENGTH.size
        value: Any = inner
    else:
        size = SIZES.get(kind, -1)
        end = at + size if size >= 0 else _end(data, at, level.end) if kind in _LONG else -1
        if not at <= end <= level.end:
            raise TableError(f"a field table has a value of type {kind!r} that cannot be read")
        value = _value(kind, data[at:end])
        at = end
    if isinstance(level.into, dict):
        level.into[name] = value
    else:
        level.into.append(value)
    return at


def without_field(table: bytes, name: str) -> bytes:
    """Return a field table, which can be read, without the fields of a name.

    What is left is as it was, to the byte.

    Args:
        table: the table, with its length.
        name: of the fields.
    """
    kept = b""
    at = _LENGTH.size
    while at < len(table):
        after_name = at + 1 + table[at]
        end = after_name + 1 + _size(table, after_name)
        if table[at + 1 : after_name] != to_bytes(name):
            kept += table[at:end]
        at = end
    return _LENGTH.pack(len(kept)) + kept


def _size(data: bytes, at: int) -> int:
    """Return how long a value is whose type is told here."""
    size = SIZES.get(data[at : at + 1])
    return size if size is not None else _end(data, at + 1, len(data)) - at - 1


def _end(data: bytes, at: int, limit: int) -> int:
    """Return where something ends that begins with its length, which is within the limit."""
    end = at + _LENGTH.size + int(_LENGTH.unpack_from(data, at)[0])
    if end > limit:
        raise TableError("a field table has a value that is longer than the table")
    return end


def _value(kind: bytes, data: bytes) -> Any:
    if kind in INTEGERS:
        return INTEGERS[kind](read_integer(kind, data))
    if kind == b"f":
        return Single(*_SINGLE.unpack(data))
    if kind == b"D":
        return Decimal(int.from_bytes(data[1:], "big")).scaleb(-data[0])
    return from_bytes(data[4:]) if kind == b"S" else decode.TABLE_MAPPING[kind](data)[1]
