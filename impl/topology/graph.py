"""The graph of exchanges and bindings: its edges, what goes when one is cut, and routing over it.

An exchange that deletes itself goes when the last binding that leads *from* it goes, so never
before it had one.  That can go on from exchange to exchange, in circles too, so it is done with a
list of what is still to be removed.
"""

from __future__ import annotations

from collections.abc import Iterable, KeysView

from ackproof.impl.topology.definitions import Binding, Change, Destination, Exchange, Kind, Routed
from ackproof.impl.topology.exchange_types import Direct, ExchangeType, Fanout
from ackproof.impl.topology.headers_exchange import Headers
from ackproof.impl.topology.topic_exchange import Topic

__all__ = ["TYPES", "Graph"]

#: The types of exchanges, by name.
TYPES: dict[str, type[ExchangeType]] = {
    kind.NAME: kind for kind in (Direct, Fanout, Topic, Headers)
}


class Graph:
    """Exchanges, and the bindings that lead from them.

    Attributes:
        exchanges: by name; the default exchange has the empty name.
        count: how many bindings there are.
    """

    def __init__(self) -> None:
        self.exchanges: dict[str, Exchange] = {}
        self.count = 0
        self._leaving: dict[str, ExchangeType] = {}
        self._arriving: dict[Destination, dict[Binding, None]] = {}

    def enter(self, exchange: Exchange) -> None:
        """Take in an exchange whose name is not taken."""
        self.exchanges[exchange.name] = exchange
        self._leaving[exchange.name] = TYPES[exchange.type]()

    def connect(self, binding: Binding) -> None:
        """Take in a binding that is not there; its source is."""
        self._leaving[binding.source].add(binding)
        self._arriving.setdefault(binding.destination, {})[binding] = None
        self.count += 1

    def leaving(self, name: str) -> ExchangeType:
        """Return the bindings that lead from an exchange."""
        return self._leaving[name]

    def arriving(self, destination: Destination) -> KeysView[Binding]:
        """Return the bindings that lead to a destination."""
        return self._arriving.get(destination, {}).keys()

    def remove(self, bindings: Iterable[Binding], change: Change) -> None:
        """Remove bindings, the exchanges that go with them, and the bindings that go with those.

        Args:
            bindings: some may be gone already.
            change: is told of everything that goes.
        """
        remaining = list(bindings)
        while remaining:
            binding = remaining.pop()
            alike = self._arriving.get(binding.destination, {})
            if binding not in alike:
                continue
            del alike[binding]
            self.count -= 1
            if not alike:
                del self._arriving[binding.destination]
            change.unbound.append(binding)
            source = self.exchanges.get(binding.source)
            if source is not None:
                leaving = self._leaving[source.name]
                leaving.remove(binding)
                if source.auto_delete and not leaving.bindings:
                    remaining += self._drop(source, change)

    def drop(self, exchange: Exchange, change: Change) -> None:
        """Delete an exchange, and what goes with it.

        Args:
            exchange: is there.
            change: is told of everything that goes.
        """
        self.remove(self._drop(exchange, change), change)

    def _drop(self, exchange: Exchange, change: Change) -> list[Binding]:
        """Delete an exchange; return the bindings that are now without one of their ends."""
        del self.exchanges[exchange.name]
        change.deleted.append(exchange)
        leaving = self._leaving.pop(exchange.name).bindings
        return [*leaving, *self.arriving(Destination(Kind.EXCHANGE, exchange.name))]

    def route(self, exchange: Exchange, message: Routed) -> tuple[str, ...]:
        """Return the names of the queues that a message reaches from an exchange, each once.

        The default exchange leads to the queue that the routing key names, whether there is one or
        not (A5.1).  From any other one goes along the bindings, breadth first (A5.2).  An exchange
        from which none leads on sends the message to its alternate exchange instead (A5.3).
        """
        if not exchange.name:
            return tuple(dict.fromkeys(message.routing_keys))
        queues: dict[str, None] = {}
        visited = {exchange.name}
        walk = [exchange]
        for current in walk:
            onward = [b.destination for b in self._leaving[current.name].match(message)]
            if not onward and current.alternate is not None:
                onward.append(Destination(Kind.EXCHANGE, current.alternate))
            for kind, name in onward:
                if kind is Kind.QUEUE:
                    queues[name] = None
                elif name not in visited and name in self.exchanges:
                    visited.add(name)
                    walk.append(self.exchanges[name])
        return tuple(queues)
