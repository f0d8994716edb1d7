"""Messages, and how they come in: a method, a content header, as many bodies as it takes.

The three kinds of frames of one content are not interleaved with anything else on their channel.
The header says how long the body is, so the end is known, and a body that is too long for the
broker is refused before it arrives.

What a publish must satisfy is checked here in the order of rule A3, as far as the message itself
shows it.  The properties are decoded once, for these checks, and kept as the bytes they came in: a
message is returned, stored and delivered with exactly the properties it was published with, but
for BCC, which no receiver may see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ackproof.impl.arguments import TIME_MAX
from ackproof.impl.errors import BodyTooLarge, HardError, SoftError
from ackproof.impl.limits import Limits
from ackproof.impl.storage.memory import Memory, Share
from ackproof.impl.wire.decoding import (
    SHORT,
    drop_header,
    read_headers,
    read_properties,
    split_header,
)
from ackproof.impl.wire.frames import Received
from ackproof.impl.wire.tables import Table, type_name
from pamqp import commands

__all__ = ["Assembly", "Message"]

_LIMITS = Limits()

_BASIC = 60
_PERSISTENT = 2
_NUMBER = re.compile(r"[+-]?[0-9]+")


@dataclass(slots=True, eq=False)
class Message:
    """One published message.  Nobody changes it; to freeze it would make it much more expensive.

    Attributes:
        routing_keys: the routing key, then what the headers CC and BCC add to it (A5.1).
        properties: payload of the content header frame, to be sent again as it is.
        share: the memory that it takes; None if nobody counts.
        expiration: milliseconds that it may be in a queue; None for as long as the queue lets it.
    """

    exchange: str
    routing_keys: tuple[str, ...]
    mandatory: bool
    persistent: bool
    properties: bytes
    body: bytes
    share: Share | None = None
    expiration: int | None = None

    @property
    def headers(self) -> Table:
        """Return the headers, which are decoded each time; few have to look at them."""
        return read_headers(self.properties)

    def count_in(self, memory: Memory) -> None:
        """Count the memory that it takes, if nobody does yet."""
        if self.share is None:
            self.share = memory.take(len(self.properties) + len(self.body))


class _Head(NamedTuple):
    """What the properties of a message say that concerns the broker, when they are in order.

    `copies` are the further routing keys of CC and BCC; `blind`: there is a BCC.
    """

    persistent: bool
    expiration: int | None
    copies: tuple[str, ...]
    blind: bool


class Assembly:
    """A publish whose content is still coming in.

    Args:
        publish: the method that it began with.
        user: name of who publishes.
        limits: how large a body may be, and how deep a table.
        memory: counts what has come in, and then the message.
    """

    __slots__ = (
        "_body",
        "_body_size",
        "_head",
        "_limits",
        "_memory",
        "_missing",
        "_properties",
        "_publish",
        "_share",
        "_user",
    )

    def __init__(
        self,
        publish: commands.Basic.Publish,
        user: str,
        limits: Limits = _LIMITS,
        memory: Memory | None = None,
    ) -> None:
        self._publish = publish
        self._user = user
        self._limits = limits
        self._memory = memory
        self._share: Share | None = None
        self._head: _Head | None = None
        self._properties = b""
        self._body: bytearray | None = None
        self._body_size = self._missing = 0

    @property
    def exchange(self) -> str:
        """Return the name of the exchange that it is published to."""
        return str(self._publish.exchange)

    @property
    def immediate(self) -> bool:
        """Tell whether the message is for consumers that can take it at once (A6.6)."""
        return bool(self._publish.immediate)

    @property
    def expected(self) -> str:
        """Say which frame has to come next, and does not, as RabbitMQ does."""
        if self._head is not None:
            return "expected content body, got non content body frame instead"
        return f"expected content header for class {_BASIC}, got non content header frame instead"

    def take_header(self, received: Received) -> Message | None:
        """Take the content header; an empty body makes the message complete.

        Raises:
            HardError: 501, 505, or 540 for what this broker does not do.
            SoftError: 406, the broker does not take such a message (A3).
        """
        if self._head is not None:
            raise HardError(505, self.expected)
        payload = received.payload
        class_id, size, said = split_header(payload)
        if class_id != _BASIC:
            raise HardError(
                505,
                f"expected content header for class {_BASIC}, got one for class {class_id} instead",
            )
        depth, body_max = self._limits.table_depth, self._limits.body_size
        if size > body_max:
            read_properties(said, depth)  # what cannot be read is the worse error
            raise BodyTooLarge(406, f"message size {size} is larger than max size {body_max}")
        check = _check_again if len(said) <= SHORT else _check
        self._head = check(said, depth, self._user)
        self._body_size = self._missing = size
        self._properties = drop_header(payload, "BCC") if self._head.blind else payload
        if self._memory is not None:
            self._share = self._memory.take(len(self._properties))
        return None if size else self._message(self._head, b"")

    def take_body(self, payload: bytes) -> Message | None:
        """Take a piece of the body; return the message when it is complete.

        Raises:
            HardError: 505, a header was expected; 501, the body is longer than was said.
        """
        if self._head is None:
            raise HardError(505, self.expected)
        if self._share is not None:
            self._share.grow(len(payload))
        self._missing -= len(payload)
        if self._missing < 0:
            raise HardError(501, f"content body is longer than the {self._body_size} bytes")
        if not self._missing and self._body is None:
            return self._message(self._head, payload)
        # Pieces may be tiny, or empty, and very many: none of them is kept for itself.
        if self._body is None:
            self._body = bytearray()
        self._body += payload
        return None if self._missing else self._message(self._head, bytes(self._body))

    def _message(self, head: _Head, body: bytes) -> Message:
        publish = self._publish
        return Message(
            exchange=publish.exchange,
            routing_keys=(publish.routing_key, *head.copies),
            mandatory=publish.mandatory,
            persistent=head.persistent,
            properties=self._properties,
            body=body,
            share=self._share,
            expiration=head.expiration,
        )


def _check(said: bytes, depth: int, user: str) -> _Head:
    """Refuse what no broker takes (A3, guards 7, 8 and 10), and what this one cannot keep.

    Args:
        said: flags and properties, as they came.
        depth: levels of field tables in one another, at most.
        user: name of who publishes.

    Raises:
        HardError: 501, the properties cannot be read.
        SoftError: 406, the broker does not take such a message.
    """
    properties = read_properties(said, depth)
    if properties.user_id and properties.user_id != user:
        raise SoftError(
            406,
            f"user_id property set to '{properties.user_id}' but authenticated user was '{user}'",
        )
    said_of_time = properties.expiration
    expiration = None if said_of_time is None else _milliseconds(said_of_time)
    if properties.delivery_mode not in (None, 1, _PERSISTENT):
        raise SoftError(
            406, f"invalid message: {{delivery_mode_unknown,{properties.delivery_mode}}}"
        )
    headers = properties.headers or {}
    persistent = properties.delivery_mode == _PERSISTENT
    return _Head(persistent, expiration, _copies(headers), "BCC" in headers)


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
