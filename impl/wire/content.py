"""Messages, and how they come in: a method, a content header, as many bodies as it takes.

The three kinds of frames of one content are not interleaved with anything else on their channel.
The header says how long the body is, so the end is known, and a body that is too long for the
broker is refused before it arrives.

What a publish must satisfy, `ackproof.impl.wire.properties` says.  The properties are decoded once,
for these checks, and kept as the bytes they came in: a message is returned, stored and delivered
with exactly the properties it was published with, but for BCC, which no receiver may see.

A publisher says the same of most of its messages, and only their bodies differ.  What that comes to
is remembered (`_Form`), and is all that a publish takes whose frames have come together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ackproof.impl.errors import BodyTooLarge, HardError, SoftError
from ackproof.impl.limits import Limits
from ackproof.impl.memory import OVERHEAD, Memory, Share
from ackproof.impl.wire.decoding import (
    SHORT,
    decode_publish,
    drop_header,
    has_weight,
    read_headers,
    read_properties,
    split_header,
)
from ackproof.impl.wire.frames import Received, WholePublish
from ackproof.impl.wire.properties import Head, check
from ackproof.impl.wire.tables import Table
from pamqp import commands

__all__ = ["Assembly", "Message", "whole_message"]

_LIMITS = Limits()

_BASIC = 60


@dataclass(slots=True, eq=False)
class Message:
    """One published message.  Nobody changes it; to freeze it would make it much more expensive.

    Attributes:
        routing_keys: the routing key, then what the headers CC and BCC add to it (A5.1).
        properties: payload of the content header frame, to be sent again as it is.
        memory: counts what it takes, for as long as it is there; None if nobody does.
        expiration: milliseconds that it may be in a queue; None for as long as the queue lets it.
    """

    exchange: str
    routing_keys: tuple[str, ...]
    mandatory: bool
    persistent: bool
    properties: bytes
    body: bytes
    memory: Memory | None = None
    expiration: int | None = None

    def __post_init__(self) -> None:
        if self.memory is not None:
            self.memory.add(len(self.properties) + len(self.body) + OVERHEAD)

    def __del__(self) -> None:
        if self.memory is not None:
            self.memory.give_back(len(self.properties) + len(self.body) + OVERHEAD)

    @property
    def headers(self) -> Table:
        """Return the headers, which are decoded each time; few have to look at them."""
        return read_headers(self.properties)

    def count_in(self, memory: Memory) -> None:
        """Count the memory that it takes, if nobody does yet."""
        if self.memory is None:
            self.memory = memory
            self.__post_init__()


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
        self._head: Head | None = None
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

    def unexpected(self) -> HardError:
        """Return the error that another frame should have come next, as RabbitMQ words it."""
        expected = f"content header for class {_BASIC}, got non content header"
        if self._head is not None:
            expected = "content body, got non content body"
        publish = commands.Basic.Publish.index
        return HardError(505, f"expected {expected} frame instead", publish)

    def take_header(self, received: Received) -> Message | None:
        """Take the content header; an empty body makes the message complete.

        Raises:
            HardError: 501, 505, or 540 for what this broker does not do.
            SoftError: 406, the broker does not take such a message (A3).
        """
        payload = received.payload
        if self._head is not None or has_weight(payload):
            raise self.unexpected()
        examine = _examine_again if len(payload) <= SHORT else _examine
        self._head, size, self._properties = examine(
            payload, self._limits.table_depth, self._limits.body_size, self._user
        )
        self._body_size = self._missing = size
        if self._memory is not None:
            self._share = self._memory.take(len(self._properties))
        return None if size else self._message(self._head, b"")

    def take_body(self, payload: bytes) -> Message | None:
        """Take a piece of the body; return the message when it is complete.

        Raises:
            HardError: 505, a header was expected; 501, the body is longer than was said.
        """
        if self._head is None:
            raise self.unexpected()
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

    def _message(self, head: Head, body: bytes) -> Message:
        publish = self._publish
        return Message(
            exchange=publish.exchange,
            routing_keys=_keys(publish.routing_key, head.copies),
            mandatory=publish.mandatory,
            persistent=head.persistent,
            properties=self._properties,
            body=body,
            memory=self._memory,
            expiration=head.expiration,
        )


class _Header(NamedTuple):
    """A content header that is in order: what it says, the size of the body, and what is kept."""

    head: Head
    size: int
    properties: bytes


def _examine(payload: bytes, depth: int, body_max: int, user: str) -> _Header:
    class_id, size, said = split_header(payload)
    if class_id != _BASIC:
        raise HardError(
            505,
            f"expected content header for class {_BASIC}, got one for class {class_id} instead",
        )
    if size > body_max:
        read_properties(said, depth)  # what cannot be read is the worse error
        raise BodyTooLarge(
            406, f"message size {size} is larger than configured max size {body_max}"
        )
    head = check(said, depth, user)
    return _Header(head, size, drop_header(payload, "BCC") if head.blind else payload)


#: Most messages of a publisher are alike in this, and there may be very many of them in queues.
_examine_again = lru_cache(1024)(_examine)


class _Form(NamedTuple):
    """What a publisher says of many messages that differ in their bodies."""

    exchange: str
    routing_keys: tuple[str, ...]
    mandatory: bool
    persistent: bool
    properties: bytes
    expiration: int | None


def whole_message(
    whole: WholePublish, user: str, limits: Limits, memory: Memory | None = None
) -> Message | None:
    """Return the message of a publish that has come whole; None if something about it is unusual.

    Then its frames have to be looked at one by one, where an error is found again.

    Args:
        whole: its frames.
        user: name of who publishes.
        limits: how large a body may be, and how deep a table.
        memory: counts the message.
    """
    _, method, header, body, _ = whole
    if len(method) > SHORT or len(header) > SHORT:
        return None
    form = _form(method, header, limits.table_depth, limits.body_size, user)
    if form is None:
        return None
    exchange, keys, mandatory, persistent, properties, expiration = form
    return Message(exchange, keys, mandatory, persistent, properties, body, memory, expiration)


@lru_cache(1024)
def _form(method: bytes, header: bytes, depth: int, body_max: int, user: str) -> _Form | None:
    try:
        publish = decode_publish(method, depth)
        head, _, properties = _examine_again(header, depth, body_max, user)
    except (HardError, SoftError):
        return None
    if publish.immediate or has_weight(header):
        return None
    keys = _keys(publish.routing_key, head.copies)
    return _Form(
        publish.exchange, keys, publish.mandatory, head.persistent, properties, head.expiration
    )


def _keys(routing_key: str, copies: tuple[str, ...]) -> tuple[str, ...]:
    return (routing_key, *copies) if copies else _shared_key(routing_key)


@lru_cache(1024)
def _shared_key(routing_key: str) -> tuple[str, ...]:
    return (routing_key,)
