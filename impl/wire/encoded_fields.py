"""Properties and field tables as bytes: taken apart, changed in one place, put together again.

Who decodes a table and encodes it again loses the widths of its integers, and with them what
clients of typed languages rely on.  The broker has to change the headers of messages that somebody
else has written, so it leaves as bytes what it does not change.  A *value* here is what stands in a
table after a name: the letter of its type, and its bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from ackproof.impl.wire.texts import from_bytes, to_bytes
from ackproof.impl.wire.values import INTEGERS, SIZES, read_integer
from pamqp import commands

__all__ = [
    "PROPERTIES",
    "array",
    "integer",
    "integer_of",
    "join_properties",
    "split_array",
    "split_properties",
    "split_table",
    "table",
    "text",
    "text_of",
    "timestamp",
]

_LENGTH = struct.Struct(">I")
_FLAGS = struct.Struct(">H")
#: Where the flags of a content header are, and where the properties begin.
_AT_FLAGS, _START = 12, 14
_FIXED = {"octet": 1, "timestamp": 8}

_BASIC = commands.Basic.Properties
#: Name, flag and type of each property, in their order.
PROPERTIES = [
    (name, _BASIC.flags[name], str(getattr(_BASIC, f"_{name}"))) for name in _BASIC.__slots__
]


# -- properties -----------------------------------------------------------------------------------


def split_properties(header: bytes) -> dict[str, bytes]:
    """Return the properties that are set, by name, as they stand in a content header's payload."""
    (flags,) = _FLAGS.unpack_from(header, _AT_FLAGS)
    found = {}
    at = _START
    for name, flag, kind in PROPERTIES:
        if flags & flag:
            end = at + _size(header, at, kind)
            found[name] = header[at:end]
            at = end
    return found


def join_properties(header: bytes, properties: Mapping[str, bytes]) -> bytes:
    """Return the payload of a content header with these properties in the place of its own."""
    flags = sum(flag for name, flag, _ in PROPERTIES if name in properties)
    pieces = [properties[name] for name, _, _ in PROPERTIES if name in properties]
    return header[:_AT_FLAGS] + _FLAGS.pack(flags) + b"".join(pieces)


def _size(header: bytes, at: int, kind: str) -> int:
    if kind == "shortstr":
        return 1 + header[at]
    if kind == "table":
        return _LENGTH.size + int(_LENGTH.unpack_from(header, at)[0])
    return _FIXED[kind]


# -- tables and arrays ----------------------------------------------------------------------------


def split_table(content: bytes) -> dict[str, bytes]:
    """Return the values of a table by name; `content` is all of it, its length included."""
    values = {}
    at, end = _LENGTH.size, len(content)
    while at < end:
        after = at + 1 + content[at]
        name = from_bytes(content[at + 1 : after])
        at = _end(content, after)
        values[name] = content[after:at]
    return values


def split_array(content: bytes) -> list[bytes]:
    """Return the values of an array; `content` is all of it, its length included."""
    values = []
    at, end = _LENGTH.size, len(content)
    while at < end:
        start, at = at, _end(content, at)
        values.append(content[start:at])
    return values


def _end(content: bytes, at: int) -> int:
    """Return where the value ends that begins at some place."""
    size = SIZES.get(content[at : at + 1])
    if size is None:
        size = _LENGTH.size + int(_LENGTH.unpack_from(content, at + 1)[0])
    return at + 1 + size


def table(values: Mapping[str, bytes]) -> bytes:
    """Return the value that is a table of these values."""
    names = ((to_bytes(name), value) for name, value in values.items())
    return _long(b"F", b"".join(bytes((len(name),)) + name + value for name, value in names))


def array(values: Iterable[bytes]) -> bytes:
    """Return the value that is an array of these values."""
    return _long(b"A", b"".join(values))


def text(content: str) -> bytes:
    """Return the value that is a text."""
    return _long(b"S", to_bytes(content))


def integer(number: int) -> bytes:
    """Return the value that is an integer of 64 bits."""
    return b"l" + struct.pack(">q", number)


def timestamp(seconds: int) -> bytes:
    """Return the value that is a moment, in seconds since 1970."""
    return b"T" + struct.pack(">Q", seconds)


def _long(letter: bytes, content: bytes) -> bytes:
    return letter + _LENGTH.pack(len(content)) + content


def text_of(value: bytes | None) -> str | None:
    """Return the text that a value is; None if it is none."""
    if value is None or value[:1] != b"S":
        return None
    return from_bytes(value[1 + _LENGTH.size :])


def integer_of(value: bytes | None) -> int:
    """Return the integer that a value is; 0 if it is none."""
    if value is None or value[:1] not in INTEGERS or value[:1] == b"T":
        return 0
    return read_integer(value[:1], value[1:])
