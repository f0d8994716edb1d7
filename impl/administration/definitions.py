"""Definitions: virtual hosts, users, permissions, exchanges, queues and bindings, in one document.

The document is RabbitMQ's, the JSON that its management exports and imports, so that what a system
is made of can be carried from one broker to the other.  Reading comes in two parts.  First each
entry is looked at by itself, and what is wrong is said with its place in the document; nothing has
changed by then.  Then it is made, in the order in which things need each other.  What is there
already stays as it is, whatever the document says of it; users and permissions become what it says.

Policies, parameters and permissions of topics are RabbitMQ's alone.  They are left out, with a line
in the log for each.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from ackproof.impl.access.directory import User
from ackproof.impl.access.passwords import Password
from ackproof.impl.access.permissions import Permissions
from ackproof.impl.administration.json_tables import table_of
from ackproof.impl.broker import Broker
from ackproof.impl.errors import AmqpError
from ackproof.impl.topology.definitions import Exchange, Kind
from ackproof.impl.vhost.virtual_host import VirtualHost

__all__ = [
    "Definitions",
    "DefinitionsError",
    "Entry",
    "read_definitions",
    "tags_of",
    "user_of",
]

_LOG = logging.getLogger(__name__)

T = TypeVar("T")

#: Bytes of a short string (AMQP 0-9-1, 4.2.5.3).
_SHORT = 255

_FOREIGN = ("policies", "parameters", "topic_permissions")


class DefinitionsError(ValueError):
    """A document cannot be used; the text says where it is wrong."""


class Entry:
    """One object of a document, which knows where it stands."""

    def __init__(self, place: str, value: object) -> None:
        if not isinstance(value, dict):
            raise DefinitionsError(f"{place} must be an object")
        self.place = place
        self._value = value

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text that must be there, if there is no default."""
        found: str = self._of(name, str, "a text", default)
        try:
            found.encode(errors="surrogateescape")
        except UnicodeEncodeError:
            raise DefinitionsError(f"{self.place}: {name} is no text of UTF-8") from None
        return found

    def name(self, name: str) -> str:
        """Return a text that a method has room for: names and keys have 255 bytes at most."""
        found = self.text(name)
        if len(found.encode(errors="surrogateescape")) > _SHORT:
            raise DefinitionsError(f"{self.place}: {name} has more than {_SHORT} bytes")
        return found

    def truth(self, name: str, default: bool = False) -> bool:
        """Return a yes or no."""
        found: bool = self._of(name, bool, "true or false", default)
        return found

    def table(self, name: str) -> Mapping[str, Any]:
        """Return an object of arguments, empty if there is none."""
        found: dict[str, Any] = self._of(name, dict, "an object", {})
        return self.checked(lambda: table_of(found))

    def any(self, name: str) -> object:
        """Return whatever there is; None for nothing."""
        return self._value.get(name)

    def _of(self, name: str, kind: type, what: str, default: Any) -> Any:
        value = self._value.get(name, default)
        if not isinstance(value, kind):
            raise DefinitionsError(f"{self.place}: {name} must be {what}")
        return value

    def checked(self, make: Callable[[], T]) -> T:
        """Return what is made of it, or say that it is wrong here."""
        try:
            return make()
        except ValueError as error:
            raise DefinitionsError(f"{self.place}: {error}") from None


def tags_of(said: object) -> tuple[str, ...]:
    """Return the tags of a user or a virtual host: a list, or texts with commas between.

    Raises:
        ValueError: it is neither.
    """
    if said is None:
        return ()
    if isinstance(said, str):
        return tuple(tag.strip() for tag in said.split(",") if tag.strip())
    if isinstance(said, list) and all(isinstance(tag, str) for tag in said):
        return tuple(said)
    raise ValueError("tags must be a list of texts, or a text with commas between them")


def user_of(name: str, entry: Entry) -> User:
    """Return a user with a password or the hash of one, or with none.

    Raises:
        DefinitionsError: that cannot be.
    """
    tags = entry.checked(lambda: tags_of(entry.any("tags")))
    if entry.any("password") is not None:
        return User.of(name, entry.text("password"), *tags)
    hashed = entry.text("password_hash", "")
    algorithm = entry.text("hashing_algorithm", Password.algorithm)
    password = entry.checked(lambda: Password(hashed, algorithm)) if hashed else None
    return User(name, password, tags)


@dataclass(frozen=True)
class _Queue:
    """A queue that is to be declared."""

    vhost: str
    name: str
    durable: bool
    auto_delete: bool
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class _Binding:
    """A binding that is to be made."""

    vhost: str
    source: str
    kind: Kind
    destination: str
    key: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Definitions:
    """What a document says, entry by entry."""

    vhosts: list[tuple[str, str, tuple[str, ...]]]
    users: list[User]
    permissions: list[tuple[str, str, Permissions]]
    exchanges: list[Exchange]
    queues: list[_Queue]
    bindings: list[_Binding]

    def apply(self, broker: Broker) -> None:
        """Make what is not there.

        Raises:
            DefinitionsError: it cannot be made; what was made before stays.
        """
        for name, description, tags in self.vhosts:
            broker.declare_vhost(name, description, tags)
        for user in self.users:
            broker.directory.put(user)
        for vhost, name, permissions in self.permissions:
            _host(broker, vhost)
            if name not in broker.directory.users:
                raise DefinitionsError(f"permissions in {vhost!r}: there is no user {name!r}")
            broker.directory.grant(vhost, name, permissions)
        for exchange in self.exchanges:
            host = _host(broker, exchange.vhost)
            if not host.topology.has(exchange.name):
                _made(str(exchange), partial(_declare_exchange, host, exchange))
        for queue in self.queues:
            host = _host(broker, queue.vhost)
            _made(f"queue '{queue.name}'", partial(_declare, host, queue))
        for binding in self.bindings:
            host = _host(broker, binding.vhost)
            _made(f"a binding of '{binding.destination}'", partial(_bind, host, binding))


def _host(broker: Broker, vhost: str) -> VirtualHost:
    host = broker.vhosts.get(vhost)
    if host is None:
        raise DefinitionsError(f"there is no virtual host {vhost!r}; name it under vhosts")
    return host


def _made(what: str, make: Callable[[], object]) -> None:
    try:
        make()
    except AmqpError as error:
        raise DefinitionsError(f"{what} cannot be: {error.text}") from None


def _declare_exchange(host: VirtualHost, exchange: Exchange) -> None:
    host.changed(host.topology.declare(exchange))


def _declare(host: VirtualHost, queue: _Queue) -> None:
    if queue.name not in host.queues:
        host.declare(
            queue.name,
            durable=queue.durable,
            auto_delete=queue.auto_delete,
            exclusive=False,
            arguments=queue.arguments,
            asking=None,
        )


def _bind(host: VirtualHost, binding: _Binding) -> None:
    source, to, key = binding.source, binding.destination, binding.key
    if binding.kind is Kind.QUEUE:
        host.bind(host.find(to, None), source, key, binding.arguments)
    else:
        host.changed(host.topology.bind_exchange(source, to, key, binding.arguments))


# -- in -------------------------------------------------------------------------------------------


def read_definitions(document: object, vhost: str | None = None) -> Definitions:
    """Return what a document says.

    Args:
        document: the JSON of it.
        vhost: where everything is, in a document of one virtual host, which does not say it.

    Raises:
        DefinitionsError: it is none, and the text says where it is wrong.
    """
    if not isinstance(document, dict):
        raise DefinitionsError("definitions must be an object, as RabbitMQ exports it")
    for name in _FOREIGN:
        if document.get(name):
            _LOG.warning("definitions: %s are left out, as they are not implemented", name)

    def each(name: str, read: Callable[[Entry], T]) -> list[T]:
        listed = document.get(name, [])
        if not isinstance(listed, list):
            raise DefinitionsError(f"{name} must be a list")
        return [read(Entry(f"{name}[{n}]", one)) for n, one in enumerate(listed)]

    def place(entry: Entry) -> str:
        return entry.text("vhost", vhost)

    whole = vhost is None
    return Definitions(
        each("vhosts", _vhost) if whole else [],
        each("users", lambda entry: user_of(entry.text("name"), entry)) if whole else [],
        each("permissions", _permission) if whole else [],
        each("exchanges", lambda entry: _exchange(place(entry), entry)),
        each("queues", lambda entry: _queue(place(entry), entry)),
        each("bindings", lambda entry: _binding(place(entry), entry)),
    )


def _vhost(entry: Entry) -> tuple[str, str, tuple[str, ...]]:
    metadata = Entry(f"{entry.place}.metadata", entry.any("metadata") or {})
    tags = entry.checked(lambda: tags_of(entry.any("tags") or metadata.any("tags")))
    description = entry.text("description", metadata.text("description", ""))
    name = entry.name("name")
    if not name:
        raise DefinitionsError(f"{entry.place}: name is empty")
    return name, description, tags


def _permission(entry: Entry) -> tuple[str, str, Permissions]:
    configure, write, read = (entry.text(name) for name in ("configure", "write", "read"))
    permissions = entry.checked(lambda: Permissions(configure, write, read))
    return entry.text("vhost"), entry.text("user"), permissions


def _exchange(vhost: str, entry: Entry) -> Exchange:
    return Exchange(
        vhost,
        entry.name("name"),
        entry.text("type"),
        durable=entry.truth("durable", True),
        auto_delete=entry.truth("auto_delete"),
        internal=entry.truth("internal"),
        arguments=entry.table("arguments"),
    )


def _queue(vhost: str, entry: Entry) -> _Queue:
    name, durable = entry.name("name"), entry.truth("durable", True)
    return _Queue(vhost, name, durable, entry.truth("auto_delete"), entry.table("arguments"))


def _binding(vhost: str, entry: Entry) -> _Binding:
    kinds = {"queue": Kind.QUEUE, "exchange": Kind.EXCHANGE}
    kind = kinds.get(entry.text("destination_type", "queue"))
    if kind is None:
        raise DefinitionsError(f"{entry.place}: destination_type must be queue or exchange")
    source, to, key = (entry.name(n) for n in ("source", "destination", "routing_key"))
    return _Binding(vhost, source, kind, to, key, entry.table("arguments"))
