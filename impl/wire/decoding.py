"""What is inside a frame: methods with their arguments, content headers with their properties.

The codec decodes them, but for field tables, which `ackproof.impl.wire.table_reader` reads: they
are cut out before the codec sees the rest.  So what surrounds a table has to be walked over here,
by the types that the codec knows of.

Of a content header the broker keeps the bytes, and sends them on to others, so it makes sure that
nothing is missing in them and nothing follows.  Properties are taken as they are otherwise.
"""

from __future__ import annotations

import struct
from functools import cache, lru_cache
from typing import Any

from ackproof.impl.errors import HardError, octets
from ackproof.impl.wire import access_methods
from ackproof.impl.wire.frames import Received
from ackproof.impl.wire.table_reader import TableError, read_table, without_field
from pamqp import base, commands

__all__ = [
    "SHORT",
    "decode_method",
    "drop_header",
    "has_weight",
    "read_headers",
    "read_properties",
    "split_header",
]

#: Levels of field tables in one another; the session knows better.
_DEPTH = 128
_NO_TABLE = bytes(4)

#: The methods by class and method, one after the other in 32 bits.
_METHODS: dict[int, type[base.Frame]] = {
    **commands.INDEX_MAPPING,
    **{method.index: method for method in (access_methods.Request, access_methods.RequestOk)},
}
_PUBLISH = commands.Basic.Publish.index
_PUBLISH_BYTES = _PUBLISH.to_bytes(4, "big")
_ACK_BYTES = commands.Basic.Ack.index.to_bytes(4, "big")
_ACK = struct.Struct(">IQB")
_HEADERS = commands.Basic.Properties.flags["headers"]
#: Bits that stand for no property of basic, or for more of them.
_NO_PROPERTY = 3
#: Class, weight and size; then come the flags of the properties, so many bytes, and the properties.
_CLASS = struct.Struct(">HHQ")
_FLAGS = 2
#: Bytes up to which it is worth remembering what was decoded.
SHORT = 300

_FIXED = {"octet": 1, "short": 2, "long": 4, "longlong": 8, "timestamp": 8}


# -- methods ------------------------------------------------------------------------------------


def decode_method(received: Received, depth_max: int = _DEPTH) -> base.Frame:
    """Decode a method frame; the two that there are most of are recognised, which is quicker.

    Args:
        received: the frame.
        depth_max: levels of field tables in one another, at most.

    Raises:
        HardError: 503, no such method; 501, its arguments cannot be read.
    """
    payload = received.payload
    if len(payload) <= SHORT and payload.startswith(_PUBLISH_BYTES):
        return _decode_again(payload, _PUBLISH, depth_max)
    if len(payload) == _ACK.size and payload.startswith(_ACK_BYTES):
        _, tag, bits = _ACK.unpack(payload)
        return commands.Basic.Ack(tag, bool(bits & 1))
    index = int.from_bytes(payload[:4], "big")
    if index not in _METHODS:
        class_id, method_id = index >> 16, index & 0xFFFF
        raise HardError(503, f"unimplemented method: class {class_id} has no method {method_id}")
    return _decode_method(payload, index, depth_max)


def _decode_method(payload: bytes, index: int, depth_max: int) -> base.Frame:
    types = _argument_types(index)
    method: base.Frame = _METHODS[index]()
    with _ReadingErrors(payload[4:]):
        if "table" not in types:
            method.unmarshal(payload[4:])
            return method
        position = types.index("table")
        start = _skip(payload, 4, types[:position])
        table, end = read_table(payload, start, depth_max)
        method.unmarshal(payload[4:start] + _NO_TABLE + payload[end:])
    setattr(method, list(method.__slots__)[position], table)
    return method


#: A publisher says the same thing many times, and nobody changes what was decoded.
_decode_again = lru_cache(1024)(_decode_method)


@cache
def _argument_types(index: int) -> tuple[str, ...]:
    """Return the types of a method's arguments, in their order."""
    method: base.Frame = _METHODS[index]()
    return tuple(method.amqp_type(name) for name in method.__slots__)


# -- content headers ----------------------------------------------------------------------------


def split_header(payload: bytes) -> tuple[int, int, bytes]:
    """Return the class of a content header, the size of the body, and flags and properties."""
    class_id, _, size = _CLASS.unpack_from(payload)
    return class_id, size, payload[_CLASS.size :]


def has_weight(payload: bytes) -> bool:
    """Tell whether a content header has a weight, which the protocol has no use for."""
    return payload[2:4] != b"\0\0"


def read_headers(content: bytes) -> dict[str, Any]:
    """Return the headers of a content header, given as the payload of its frame."""
    headers: dict[str, Any] | None = read_properties(content[_CLASS.size :]).headers
    return headers or {}


def drop_header(content: bytes, name: str) -> bytes:
    """Return a content header, given as the payload of its frame, without one of its headers.

    It must have headers, and be one that can be decoded.
    """
    said = content[_CLASS.size :]
    start = _skip(said, _FLAGS, _property_types(_flags(said))[0])
    _, end = read_table(said, start, _DEPTH)
    rest = said[:start] + without_field(said[start:end], name) + said[end:]
    return content[: _CLASS.size] + rest


def read_properties(said: bytes, depth_max: int = _DEPTH) -> commands.Basic.Properties:
    """Return properties, from flags and the properties that they announce.

    Args:
        said: flags and properties.
        depth_max: levels of field tables in one another, at most.

    Raises:
        HardError: 501, they cannot be read.
    """
    flags = _flags(said)
    before, after = _property_types(flags)
    properties = commands.Basic.Properties()
    with _ReadingErrors(said):
        if len(said) < _FLAGS or flags & _NO_PROPERTY:
            raise TableError("a property is set that basic does not have")
        end = start = _skip(said, _FLAGS, before)
        if not flags & _HEADERS:
            properties.unmarshal(flags, said[_FLAGS:])
        else:
            table, end = read_table(said, start, depth_max)
            properties.unmarshal(flags, said[_FLAGS:start] + _NO_TABLE + said[end:])
            properties.headers = table
        if _skip(said, end, after) != len(said):
            raise TableError("the properties are not as long as their frame")
    return properties


def _flags(said: bytes) -> int:
    return int.from_bytes(said[:_FLAGS], "big")


@cache
def _property_types(flags: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the types of the properties that are set, those before the headers and after."""
    kinds: tuple[list[str], list[str]] = ([], [])
    properties = commands.Basic.Properties
    for name in properties.__slots__:
        flag = properties.flags[name]
        if flags & flag and flag != _HEADERS:
            # The flags are given out from the highest bit down.
            kinds[flag < _HEADERS].append(str(getattr(properties, f"_{name}")))
    return tuple(kinds[0]), tuple(kinds[1])


# -- what both need -----------------------------------------------------------------------------


def _skip(data: bytes, at: int, types: tuple[str, ...]) -> int:
    """Return where values of these types end that begin at some place.

    Raises:
        TableError: there is less than that.
    """
    bits = 0
    for kind in types:
        if kind == "bit":
            at += bits % 8 == 0
            bits += 1
            continue
        bits = 0
        at += 1 + data[at] if kind == "shortstr" else _FIXED[kind]
    if at > len(data):
        raise TableError("the values are longer than what they are in")
    return at


class _ReadingErrors:
    """Turns what can go wrong while bytes are read into the error that the client is told."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, TableError):
            raise HardError(501, f"cannot decode: {error}") from None
        if isinstance(error, UnicodeDecodeError):
            raise HardError(501, "Malformed UTF-8 in shortstr") from None
        if isinstance(error, ValueError | LookupError | OverflowError | OSError | struct.error):
            raise HardError(501, f"cannot decode {octets(self._payload)}") from None
