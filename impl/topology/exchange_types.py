"""The types of exchanges: which of its bindings a message takes.

Each type keeps the bindings of one exchange in the way in which it finds them fastest.  A *direct*
exchange looks up the routing key, at the same cost for any number of keys; a *fanout* exchange
takes all its bindings; *topic* and *headers* have modules of their own.

A message with the headers CC and BCC has several routing keys, and takes what any of them takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from ackproof.impl.topology.definitions import Binding, Routed
from ackproof.impl.wire.tables import Table

__all__ = ["Direct", "ExchangeType", "Fanout"]


class ExchangeType:
    """The bindings that lead from one exchange, in the order in which they were made.

    Attributes:
        NAME: as clients name the type.
        bindings: each by itself, so that an equal one leads to the one that is here.
    """

    NAME: ClassVar[str]

    def __init__(self) -> None:
        self.bindings: dict[Binding, Binding] = {}

    @staticmethod
    def check(arguments: Table) -> None:
        """Check the arguments of a binding.

        Raises:
            SoftError: 406, an exchange of this type cannot use them.
        """

    def add(self, binding: Binding) -> None:
        """Take in a binding that is not here."""
        self.bindings[binding] = binding

    def remove(self, binding: Binding) -> None:
        """Drop a binding that is here."""
        del self.bindings[binding]

    def match(self, message: Routed) -> Iterable[Binding]:
        """Return the bindings that a message takes; one may come several times."""
        raise NotImplementedError


class Fanout(ExchangeType):
    """All bindings."""

    NAME = "fanout"

    def match(self, _: Routed) -> Iterable[Binding]:
        """Return every binding."""
        return self.bindings


class Direct(ExchangeType):
    """The bindings with the routing key."""

    NAME = "direct"

    def __init__(self) -> None:
        super().__init__()
        self._by_key: dict[str, dict[Binding, None]] = {}

    def add(self, binding: Binding) -> None:
        """Take in a binding that is not here."""
        super().add(binding)
        self._by_key.setdefault(binding.key, {})[binding] = None

    def remove(self, binding: Binding) -> None:
        """Drop a binding that is here."""
        super().remove(binding)
        alike = self._by_key[binding.key]
        del alike[binding]
        if not alike:
            del self._by_key[binding.key]

    def match(self, message: Routed) -> Iterator[Binding]:
        """Return the bindings with one of the message's keys."""
        for key in message.routing_keys:
            yield from self._by_key.get(key, ())
