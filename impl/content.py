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

from ackproof.impl.decoding import decode_header, drop_header, read_headers
from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.frames import Received
from ackproof.impl.limits import Limits
from ackproof.impl.memory import Memory, Share
from ackproof.impl.tables import Table
from pamqp import commands
from pamqp.header import ContentHeader

__all__ = ["Assembly", "Message"]

_LIMITS = Limits()

_BASIC = 60
_PERSISTENT = 2
_NUMBER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One published message.

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
            object.__setattr__(self, "share", memory.take(len(self.properties) + len(self.body)))


class Assembly:
    """A publish whose content is still coming in.

    Args:
        publish: the method that it began with.
        user: name of who publishes.
        limits: how large a body may be, and how deep a table.
        memory: counts what has come in, and then the message.
    """

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
        self._share = None if memory is None else memory.take(0)
        self._header: ContentHeader | None = None
        self._properties = b""
        self._routing_keys: tuple[str, ...] = ()
        self._expiration: int | None = None
        self._body = bytearray()
        self._missing = 0

    @property
    def expected(self) -> str:
        """Say which frame has to come next, and does not, as RabbitMQ does."""
        if self._header is not None:
            return "expected content body, got non content body frame instead"
        return f"expected content header for class {_BASIC}, got non content header frame instead"

    def take_header(self, received: Received) -> Message | None:
        """Take the content header; an empty body makes the message complete.

        Raises:
            HardError: 501, 505, or 540 for what this broker does not do.
            SoftError: 406, the broker does not take such a message (A3).
        """
        if self._header is not None:
            raise HardError(505, self.expected)
        header = decode_header(received, self._limits.table_depth)
        if header.class_id != _BASIC:
            raise HardError(
                505,
                f"expected content header for class {_BASIC}, "
                f"got one for class {header.class_id} instead",
            )
        body_max = self._limits.body_size
        if header.body_size > body_max:
            raise SoftError(
                406, f"message size {header.body_size} is larger than max size {body_max}"
            )
        self._check(header.properties)
        self._header = header
        self._missing = header.body_size
        self._routing_keys = (str(self._publish.routing_key), *_copies(header))
        self._properties = _without_blind_copies(header, received.payload)
        if self._share is not None:
            self._share.grow(len(self._properties))
        return None if self._missing else self._message(b"")

    def take_body(self, payload: bytes) -> Message | None:
        """Take a piece of the body; return the message when it is complete.

        Raises:
            HardError: 505, a header was expected; 501, the body is longer than was said.
        """
        if self._header is None:
            raise HardError(505, self.expected)
        if self._share is not None:
            self._share.grow(len(payload))
        self._missing -= len(payload)
        if self._missing < 0:
            raise HardError(501, f"content body is longer than the {self._header.body_size} bytes")
        if self._missing or self._body:
            # Pieces may be tiny, or empty, and very many: none of them is kept for itself.
            self._body += payload
            return None if self._missing else self._message(bytes(self._body))
        return self._message(payload)

    def _check(self, properties: commands.Basic.Properties) -> None:
        """Refuse what no broker takes (A3, guards 7, 8 and 10), and what this one cannot keep."""
        if properties.user_id and properties.user_id != self._user:
            raise SoftError(
                406,
                f"user_id property set to '{properties.user_id}' "
                f"but authenticated user was '{self._user}'",
            )
        if properties.expiration is not None:
            self._expiration = _milliseconds(properties.expiration)
        if properties.delivery_mode not in (None, 1, _PERSISTENT):
            raise SoftError(
                406, f"invalid message: delivery_mode {properties.delivery_mode} is not 1 or 2"
            )

    def _message(self, body: bytes) -> Message:
        assert self._header is not None
        return Message(
            exchange=str(self._publish.exchange),
            routing_keys=self._routing_keys,
            mandatory=bool(self._publish.mandatory),
            persistent=self._header.properties.delivery_mode == _PERSISTENT,
            properties=self._properties,
            body=body,
            share=self._share,
            expiration=self._expiration,
        )


def _milliseconds(expiration: str) -> int:
    """Return what the property `expiration` says (A3, guard 8)."""
    number = _NUMBER.match(expiration)
    if number is None:
        wrong = "no_integer"
    elif number.end() < len(expiration):
        wrong = f'{{leftover_string,"{expiration[number.end() :]}"}}'
    elif int(number[0]) < 0:
        wrong = f"{{value_negative,{int(number[0])}}}"
    else:
        return int(number[0])
    raise SoftError(406, f"invalid expiration '{expiration}': {wrong}")


def _copies(header: ContentHeader) -> list[str]:
    """Return the further routing keys of CC and BCC (A5.1, A3 guard 10)."""
    headers = header.properties.headers or {}
    keys: list[str] = []
    for name in ("CC", "BCC"):
        value = headers.get(name, [])
        if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
            raise SoftError(406, f"invalid message: header {name} is not an array of strings")
        keys += [key for key in value if isinstance(key, str)]
    return keys


def _without_blind_copies(header: ContentHeader, payload: bytes) -> bytes:
    headers = header.properties.headers
    if not headers or "BCC" not in headers:
        return payload
    return drop_header(payload, "BCC")
