"""The arguments of methods: bytes to values and back, by the types that the codec knows of.

The codec's own way is not taken.  It takes no text that is not UTF-8, not even where RabbitMQ
carries it (`ackproof.impl.wire.texts`), it would read tables by recursion
(`ackproof.impl.wire.table_reader`), and it refuses to send names that a client may well have used.

Bits that follow one another share a byte.  Bytes that follow the arguments are passed over.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from ackproof.impl.wire import texts
from ackproof.impl.wire.table_reader import read_table
from pamqp import base, encode

__all__ = ["NUMBERS", "read_arguments", "read_short", "write_arguments"]

#: The types that are numbers.
NUMBERS = {
    "octet": struct.Struct(">B"),
    "short": struct.Struct(">H"),
    "long": struct.Struct(">I"),
    "longlong": struct.Struct(">Q"),
    "timestamp": struct.Struct(">Q"),
}
_LENGTH = NUMBERS["long"]
_SHORT_MAX = 255
_BITS = 8

#: Methods that carry a message, or what is said of it: their texts are as the publisher's.
_CARRYING = ("Basic.Publish", "Basic.Return", "Basic.Deliver", "Basic.GetOk")


_Types = tuple[tuple[str, str], ...]
_known: dict[int, _Types] = {}


def _types(method: type[base.Frame]) -> _Types:
    """Return the arguments of a method in their order, each with its type."""
    found = _known.get(method.index)
    if found is None:
        found = tuple((name, method.amqp_type(name)) for name in method.__slots__)
        _known[method.index] = found
    return found


# -- reading ------------------------------------------------------------------------------------


def read_arguments(kind: type[base.Frame], data: bytes, at: int, depth_max: int) -> base.Frame:
    """Return a method with the arguments that begin at some place.

    Args:
        kind: which method.
        data: what they are in.
        at: where they begin.
        depth_max: levels of field tables in one another, at most.

    Raises:
        TableError: a table cannot be read.
        UnicodeDecodeError: a text is no UTF-8, where it must be.
        LookupError: they end too early.
        struct.error: they end too early.
    """
    method = kind()
    carrying = kind.name in _CARRYING
    bits = 0
    for name, of in _types(kind):
        if of == "bit":
            at += not bits % _BITS
            setattr(method, name, bool(data[at - 1] >> bits % _BITS & 1))
            bits += 1
            continue
        bits = 0
        value, at = _read(of, data, at, depth_max, carrying)
        setattr(method, name, value)
    return method


def _read(of: str, data: bytes, at: int, depth_max: int, carrying: bool) -> tuple[Any, int]:
    if of == "shortstr":
        raw, at = read_short(data, at)
        return texts.from_bytes(raw) if carrying else raw.decode(), at
    if of == "table":
        return read_table(data, at, depth_max)
    if of == "longstr":
        return _read_long(data, at)
    number = NUMBERS[of]
    return number.unpack_from(data, at)[0], at + number.size


def read_short(data: bytes, at: int) -> tuple[bytes, int]:
    """Return the bytes of a short string that begins at some place, and where it ends.

    Raises:
        LookupError: there are fewer than its length says, or there is no length.
    """
    start = at + 1
    end = start + data[at]
    if end > len(data):
        raise IndexError(end)
    return data[start:end], end


def _read_long(data: bytes, at: int) -> tuple[str | bytes, int]:
    """Return a long string, which may be text or anything else, and where it ends."""
    start = at + _LENGTH.size
    end = start + int(_LENGTH.unpack_from(data, at)[0])
    if end > len(data):
        raise IndexError(end)
    raw = data[start:end]
    try:
        return raw.decode(), end
    except UnicodeDecodeError:
        return raw, end


# -- writing ------------------------------------------------------------------------------------


def write_arguments(method: base.Frame) -> bytes:
    """Return the arguments of a method as bytes."""
    return b"".join(_pieces(method))


def _pieces(method: base.Frame) -> Iterator[bytes]:
    bits = byte = 0
    for name, of in _types(type(method)):
        value = getattr(method, name, 0)
        if of == "bit":
            if bits == _BITS:
                yield bytes((byte,))
                bits = byte = 0
            byte |= bool(value) << bits
            bits += 1
            continue
        if bits:
            yield bytes((byte,))
            bits = byte = 0
        yield _written(of, value)
    if bits:
        yield bytes((byte,))


def _written(of: str, value: Any) -> bytes:
    if of == "shortstr":
        raw = texts.to_bytes(value)
        if len(raw) > _SHORT_MAX:
            raise ValueError(f"a short string of {len(raw)} bytes; it has {_SHORT_MAX} at most")
        return bytes((len(raw),)) + raw
    if of == "longstr":
        raw = value if isinstance(value, bytes) else texts.to_bytes(value)
        return _LENGTH.pack(len(raw)) + raw
    if of == "table":
        return encode.field_table(value)
    return NUMBERS[of].pack(value)
