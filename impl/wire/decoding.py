"""What is inside a frame: methods with their arguments, content headers with their properties.

The codec knows which methods and properties there are, and of which types; they are read here
(`ackproof.impl.wire.method_arguments`).

Of a content header the broker keeps the bytes, and sends them on to others, so it makes sure that
nothing is missing in them and nothing follows.  Properties are taken as they are otherwise.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any, cast

from ackproof.impl.errors import HardError, octets
from ackproof.impl.wire import access_methods
from ackproof.impl.wire.encoded_fields import PROPERTIES, join_properties, split_properties
from ackproof.impl.wire.frames import Received
from ackproof.impl.wire.method_arguments import NUMBERS, read_arguments, read_short
from ackproof.impl.wire.table_reader import TableError, read_table, without_field
from ackproof.impl.wire.texts import from_bytes
from pamqp import base, commands

__all__ = [
    "SHORT",
    "decode_method",
    "decode_publish",
    "drop_header",
    "has_weight",
    "read_headers",
    "read_properties",
    "split_header",
]

#: Levels of field tables in one another; the session knows better.
_DEPTH = 128

#: The methods by class and method, one after the other in 32 bits.
_METHODS: dict[int, type[base.Frame]] = {
    **commands.INDEX_MAPPING,
    **{method.index: method for method in (access_methods.Request, access_methods.RequestOk)},
}
_PUBLISH = commands.Basic.Publish.index
_PUBLISH_BYTES = _PUBLISH.to_bytes(4, "big")
_ACK_BYTES = commands.Basic.Ack.index.to_bytes(4, "big")
_ACK = struct.Struct(">IQB")
_HEADERS = "headers"
#: Bits that stand for no property of basic, or for more of them.
_NO_PROPERTY = 3
#: Class, weight and size; then come the flags of the properties, so many bytes, and the properties.
_CLASS = struct.Struct(">HHQ")
_FLAGS = 2
#: Bytes up to which it is worth remembering what was decoded.
SHORT = 300


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


def decode_publish(payload: bytes, depth_max: int = _DEPTH) -> commands.Basic.Publish:
    """Decode the payload of a method frame that is known to be basic.publish.

    Raises:
        HardError: 501, its arguments cannot be read.
    """
    return cast(commands.Basic.Publish, _decode_method(payload, _PUBLISH, depth_max))


def _decode_method(payload: bytes, index: int, depth_max: int) -> base.Frame:
    with _ReadingErrors(payload[4:]):
        return read_arguments(_METHODS[index], payload, 4, depth_max)


#: A publisher says the same thing many times, and nobody changes what was decoded.
_decode_again = lru_cache(1024)(_decode_method)


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
    headers: dict[str, Any] = read_properties(content[_CLASS.size :]).get(_HEADERS, {})
    return headers


def drop_header(content: bytes, name: str) -> bytes:
    """Return a content header, given as the payload of its frame, without one of its headers.

    It must have headers, and be one that can be decoded.
    """
    properties = split_properties(content)
    properties[_HEADERS] = without_field(properties[_HEADERS], name)
    return join_properties(content, properties)


def read_properties(said: bytes, depth_max: int = _DEPTH) -> dict[str, Any]:
    """Return those properties that are set by name, from flags and the properties they announce.

    Texts are as they came, UTF-8 or not, and moments are seconds since 1970.

    Args:
        said: flags and properties.
        depth_max: levels of field tables in one another, at most.

    Raises:
        HardError: 501, they cannot be read.
    """
    flags, at = int.from_bytes(said[:_FLAGS], "big"), _FLAGS
    properties: dict[str, Any] = {}
    with _ReadingErrors(said):
        if len(said) < _FLAGS or flags & _NO_PROPERTY:
            raise TableError("a property is set that basic does not have")
        for name, flag, kind in PROPERTIES:
            if flags & flag:
                properties[name], at = _read_property(kind, said, at, depth_max)
        if at != len(said):
            raise TableError("the properties are not as long as their frame")
    return properties


def _read_property(kind: str, said: bytes, at: int, depth_max: int) -> tuple[Any, int]:
    if kind == "table":
        return read_table(said, at, depth_max)
    if kind == "shortstr":
        raw, at = read_short(said, at)
        return from_bytes(raw), at
    number = NUMBERS[kind]
    return number.unpack_from(said, at)[0], at + number.size


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
            raise HardError(501, "Malformed UTF-8 in shortstr", index=0) from None
        if isinstance(error, LookupError | struct.error):
            raise HardError(501, f"cannot decode {octets(self._payload)}") from None
