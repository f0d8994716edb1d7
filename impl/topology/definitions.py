"""What a topology is made of: exchanges, bindings, and what changes of them.

All are values.  An exchange is what it was declared as, a binding is an edge of the graph; which of
them there are now, `ackproof.impl.topology.graph` knows.  Numbers name them on the disk, where a
name may be deleted and declared again within one commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from ackproof.impl.wire.tables import Table, to_text

__all__ = ["Binding", "Change", "Destination", "Exchange", "Kind", "Routed"]


class Kind(StrEnum):
    """What a binding may lead to."""

    QUEUE = "queue"
    EXCHANGE = "exchange"


class Destination(NamedTuple):
    """Where a binding leads."""

    kind: Kind
    name: str


class Routed(Protocol):
    """What routing looks at in a message."""

    @property
    def routing_keys(self) -> tuple[str, ...]:
        """Return the routing key, then what the headers CC and BCC add to it."""

    @property
    def headers(self) -> Table:
        """Return the headers; asked for by headers exchanges only."""


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """An exchange as it was declared.

    Attributes:
        type: direct, fanout, topic or headers.
        durable: it outlives the broker.
        auto_delete: it goes with the last binding that leads from it.
        internal: clients may not publish to it.
        number: names it on the disk; 0 for those that every virtual host begins with.
    """

    vhost: str
    name: str
    type: str
    durable: bool
    auto_delete: bool = False
    internal: bool = False
    arguments: Table = field(default_factory=dict)
    number: int = 0

    def __str__(self) -> str:
        return f"exchange '{self.name}' in vhost '{self.vhost}'"

    @property
    def alternate(self) -> str | None:
        """Return the name of the exchange for what finds no way here (A5.3), if one was named."""
        name = self.arguments.get("alternate-exchange")
        return name if isinstance(name, str) else None


@dataclass(frozen=True, slots=True)
class Binding:
    """An edge from an exchange to a queue or an exchange.

    Two bindings are one if source, destination, key and arguments are the same.

    Attributes:
        identity: the arguments as text.
        durable: it outlives the broker, as both of its ends do.
    """

    source: str
    destination: Destination
    key: str
    identity: str
    vhost: str = field(compare=False)
    arguments: Mapping[str, object] = field(compare=False)
    durable: bool = field(compare=False)
    number: int = field(compare=False)

    @staticmethod
    def of(
        source: Exchange,
        destination: Destination,
        key: str,
        arguments: Table,
        *,
        durable: bool = False,
        number: int = 0,
    ) -> Binding:
        """Return the binding from an exchange to a destination.

        Args:
            source: where it leads from.
            destination: where it leads to.
            key: the routing key, or the pattern.
            arguments: part of what tells it from others.
            durable: the destination outlives the broker.
            number: names it on the disk.
        """
        return Binding(
            source.name,
            destination,
            key,
            to_text(arguments),
            source.vhost,
            arguments,
            durable and source.durable,
            number,
        )


@dataclass
class Change:
    """What one request, or several of them, changed in a topology; order does not matter."""

    declared: list[Exchange] = field(default_factory=list)
    deleted: list[Exchange] = field(default_factory=list)
    bound: list[Binding] = field(default_factory=list)
    unbound: list[Binding] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.declared or self.deleted or self.bound or self.unbound)

    def durable(self) -> Change:
        """Return the part of it that the disk has to be told."""
        return Change(
            [exchange for exchange in self.declared if exchange.durable],
            [exchange for exchange in self.deleted if exchange.durable],
            [binding for binding in self.bound if binding.durable],
            [binding for binding in self.unbound if binding.durable],
        )

    def add(self, later: Change) -> None:
        """Take in what changed later."""
        self.declared += later.declared
        self.deleted += later.deleted
        self.bound += later.bound
        self.unbound += later.unbound
