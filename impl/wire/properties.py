"""What the properties of a publish must satisfy, and what of them concerns the broker (A3).

They are checked in the order of rule A3, as far as the message itself shows it: who says to have
sent it, how long it may live, whether it is persistent, and where copies of it are to go.  A
publisher says the same of most of its messages, so what was found is remembered.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ackproof.impl.errors import SoftError
from ackproof.impl.wire.decoding import SHORT, read_properties
from ackproof.impl.wire.tables import Table
from ackproof.impl.wire.values import type_name

__all__ = ["TIME_MAX", "Head", "check"]

#: Milliseconds, at most, of everything that takes time: ten years.
TIME_MAX = 10 * 365 * 24 * 3600 * 1000

_TRANSIENT, _PERSISTENT = 1, 2
_NUMBER = re.compile(r"[+-]?[0-9]+")


class Head(NamedTuple):
    """What the properties of a message say that concerns the broker, when they are in order.

    `copies` are the further routing keys of CC and BCC; `blind`: there is a BCC.
    """

    persistent: bool
    expiration: int | None
    copies: tuple[str, ...]
    blind: bool


def check(said: bytes, depth: int, user: str) -> Head:
    """Refuse what no broker takes (A3, guards 7, 8 and 10), and what this one cannot keep.

    Args:
        said: flags and properties, as they came.
        depth: levels of field tables in one another, at most.
        user: name of who publishes.

    Raises:
        HardError: 501, the properties cannot be read.
        SoftError: 406, the broker does not take such a message.
    """
    return _check_again(said, depth, user) if len(said) <= SHORT else _check(said, depth, user)


def _check(said: bytes, depth: int, user: str) -> Head:
    properties = read_properties(said, depth)
    said_by = properties.get("user_id")
    if said_by and said_by != user:
        raise SoftError(
            406, f"user_id property set to '{said_by}' but authenticated user was '{user}'"
        )
    said_of_time = properties.get("expiration")
    expiration = None if said_of_time is None else _milliseconds(said_of_time)
    mode = properties.get("delivery_mode", _TRANSIENT)
    if mode not in (_TRANSIENT, _PERSISTENT):
        raise SoftError(406, f"invalid message: {{delivery_mode_unknown,{mode}}}")
    headers = properties.get("headers", {})
    return Head(mode == _PERSISTENT, expiration, _copies(headers), "BCC" in headers)


#: Most messages of a publisher have the same properties.
_check_again = lru_cache(1024)(_check)


def _milliseconds(expiration: str) -> int:
    """Return what the property `expiration` says (A3, guard 8)."""
    number = _NUMBER.match(expiration)
    if number is None:
        wrong = "no_integer"
    elif number.end() < len(expiration):
        wrong = f'{{leftover_string,"{expiration[number.end() :]}"}}'
    elif int(number[0]) < 0:
        wrong = f"{{value_negative,{int(number[0])}}}"
    elif int(number[0]) > TIME_MAX:
        wrong = f"{{value_too_large,{int(number[0])}}}"
    else:
        return int(number[0])
    raise SoftError(406, f"invalid expiration '{expiration}': {wrong}")


def _copies(headers: Table) -> tuple[str, ...]:
    """Return the further routing keys of CC and BCC (A5.1, A3 guard 10).

    What is no text in them is no routing key, and is passed over.
    """
    keys: list[str] = []
    for name in ("CC", "BCC"):
        value = headers.get(name, [])
        if not isinstance(value, list):
            wrong = f'{{unacceptable_type_in_header,"{name}",{type_name(value)}}}'
            raise SoftError(406, f"invalid message: {wrong}")
        keys += [key for key in value if isinstance(key, str)]
    return tuple(keys)
