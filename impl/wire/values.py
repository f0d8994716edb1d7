"""The values of field tables: types that Python does not tell apart, and how RabbitMQ shows them.

The protocol has eight types of integers and two of floating point numbers.  Equal numbers of
different types are equal to most who compare them, but RabbitMQ names the type of an argument that
it refuses, and two bindings are not one if a number in their arguments has another type.  So a
number is of a class that remembers what it came as; a plain `int` came as the most usual type, or
from no client at all.

A *term* is a value as RabbitMQ prints it in a text for a client.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TypeGuard

from ackproof.impl.errors import octets
from ackproof.impl.wire.texts import to_bytes

__all__ = [
    "INTEGERS",
    "NAMES",
    "SIZES",
    "Single",
    "Timestamp",
    "is_integer",
    "read_integer",
    "said",
    "term",
    "type_name",
]

_SIGNED_INT_MAX = 2**31


class Timestamp(int):
    """A moment in seconds since 1970, which need not be one that a calendar has."""


class Single(float):
    """A floating point number of 32 bits."""


class _Byte(int):
    pass


class _UnsignedByte(int):
    pass


class _Short(int):
    pass


class _UnsignedShort(int):
    pass


class _UnsignedInt(int):
    pass


class _Long(int):
    pass


#: The classes of integers, by the letter of their type; RabbitMQ takes `L` for signed, too.
INTEGERS: dict[bytes, type[int]] = {
    b"b": _Byte,
    b"B": _UnsignedByte,
    b"s": _Short,
    b"u": _UnsignedShort,
    b"I": int,
    b"i": _UnsignedInt,
    b"l": _Long,
    b"L": _Long,
    b"T": Timestamp,
}

_SIGNED = (b"b", b"s", b"I", b"l", b"L")

#: Bytes of a value, by the letter of its type; all others begin with their length.
SIZES = {
    letter: size
    for size, letters in (
        (0, b"V\0"),
        (1, b"tbB"),
        (2, b"su"),
        (4, b"Iif"),
        (5, b"D"),
        (8, b"lLdT"),
    )
    for letter in map(bytes, zip(letters, strict=True))
}

#: The names that RabbitMQ has for the types.
NAMES: dict[type, str] = {
    bool: "bool",
    int: "signedint",
    float: "double",
    Single: "float",
    str: "longstr",
    bytes: "longstr",
    bytearray: "binary",
    Decimal: "decimal",
    dict: "table",
    list: "array",
    type(None): "void",
    Timestamp: "timestamp",
    _Byte: "byte",
    _UnsignedByte: "unsignedbyte",
    _Short: "short",
    _UnsignedShort: "unsignedshort",
    _UnsignedInt: "unsignedint",
    _Long: "long",
}


def read_integer(letter: bytes, data: bytes) -> int:
    """Return the number that bytes stand for, of a type of integers."""
    return int.from_bytes(data, "big", signed=letter in _SIGNED)


def is_integer(value: object) -> TypeGuard[int]:
    """Tell whether a value is of a type of integers, which neither truth values nor moments are."""
    return isinstance(value, int) and not isinstance(value, bool | Timestamp)


def type_name(value: object) -> str:
    """Return the name of a value's type, as RabbitMQ says it."""
    if type(value) is int and not -_SIGNED_INT_MAX <= value < _SIGNED_INT_MAX:
        return "long"
    return NAMES[type(value)]


def said(value: object) -> str:
    """Return a value as it stands in a text between quotes: texts as they are."""
    if isinstance(value, bytes | bytearray):
        return value.decode(errors="replace")
    return value if isinstance(value, str) else term(value)


def term(value: object) -> str:
    """Return a value as RabbitMQ prints it, types included where they are part of it."""
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return octets(to_bytes(value))
    if isinstance(value, bytes | bytearray):
        return octets(bytes(value))
    if isinstance(value, dict):
        fields = (f"{octets(to_bytes(name))},{_typed(one)}" for name, one in value.items())
        return f"[{','.join(f'{{{field}}}' for field in fields)}]"
    if isinstance(value, list):
        return f"[{','.join(f'{{{_typed(one)}}}' for one in value)}]"
    if isinstance(value, Decimal):
        _, digits, exponent = value.as_tuple()
        return f"{{{-int(exponent)},{int(''.join(map(str, digits)))}}}"
    return str(value)


def _typed(value: object) -> str:
    return f"{type_name(value)},{term(value)}"
