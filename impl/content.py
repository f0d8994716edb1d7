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

from dataclasses import dataclass

from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.frames import Received, decode_header
from pamqp import commands
from pamqp.header import ContentHeader

__all__ = ["BODY_SIZE_MAX", "Assembly", "Message"]

#: Bytes of a message body, at most (A3, guard 1).
BODY_SIZE_MAX = 134217728

_BASIC = 60
_PERSISTENT = 2


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One published message.

    Attributes:
        routing_keys: the routing key, then what the headers CC and BCC add to it (A5.1).
        properties: payload of the content header frame, to be sent again as it is.
    """

    exchange: str
    routing_keys: tuple[str, ...]
    mandatory: bool
    persistent: bool
    properties: bytes
    body: bytes


class Assembly:
    """A publish whose content is still coming in."""

    def __init__(self, publish: commands.Basic.Publish, user: str) -> None:
        self._publish = publish
        self._user = user
        self._header: ContentHeader | None = None
        self._properties = b""
        self._routing_keys: tuple[str, ...] = ()
        self._pieces: list[bytes] = []
        self._missing = 0

    @property
    def expected(self) -> str:
        """Say which frame has to come next."""
        return "body" if self._header else f"header for class {_BASIC}"

    def take_header(self, received: Received) -> Message | None:
        """Take the content header; an empty body makes the message complete.

        Raises:
            HardError: 502, 505, or 540 for what this broker does not do.
            SoftError: 406, the broker does not take such a message (A3).
        """
        if self._header is not None:
            raise HardError(505, "expected content body, got content header frame instead")
        header = decode_header(received)
        if header.class_id != _BASIC:
            raise HardError(
                505, f"expected content header for class {_BASIC}, got one for {header.class_id}"
            )
        if header.body_size > BODY_SIZE_MAX:
            raise SoftError(
                406, f"message size {header.body_size} is larger than max size {BODY_SIZE_MAX}"
            )
        self._check(header.properties)
        self._header = header
        self._missing = header.body_size
        self._routing_keys = (str(self._publish.routing_key), *_copies(header))
        self._properties = _without_blind_copies(header, received.payload)
        return self._complete()

    def take_body(self, payload: bytes) -> Message | None:
        """Take a piece of the body; return the message when it is complete.

        Raises:
            HardError: 505, a header was expected; 501, the body is longer than was said.
        """
        if self._header is None:
            raise HardError(505, f"expected content {self.expected}, got content body instead")
        self._missing -= len(payload)
        if self._missing < 0:
            raise HardError(501, f"content body is longer than the {self._header.body_size} bytes")
        self._pieces.append(payload)
        return self._complete()

    def _check(self, properties: commands.Basic.Properties) -> None:
        """Refuse what no broker takes (A3, guards 7, 8 and 10), and what this one cannot keep."""
        if properties.user_id and properties.user_id != self._user:
            raise SoftError(
                406,
                f"user_id property set to '{properties.user_id}' "
                f"but authenticated user was '{self._user}'",
            )
        if properties.expiration is not None:
            raise HardError(540, "per-message expiration is not implemented")
        if properties.delivery_mode not in (None, 1, _PERSISTENT):
            raise SoftError(
                406, f"invalid message: delivery_mode {properties.delivery_mode} is not 1 or 2"
            )

    def _complete(self) -> Message | None:
        assert self._header is not None
        if self._missing:
            return None
        return Message(
            exchange=str(self._publish.exchange),
            routing_keys=self._routing_keys,
            mandatory=bool(self._publish.mandatory),
            persistent=self._header.properties.delivery_mode == _PERSISTENT,
            properties=self._properties,
            body=b"".join(self._pieces),
        )


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
    header.properties.headers = {name: headers[name] for name in headers if name != "BCC"}
    return header.marshal()
