"""The exchanges of one virtual host, the bindings between them and to its queues, and routing.

To unbind what is not there is no error, as in RabbitMQ.  Whether a queue exists, and whose it is,
the virtual host checks before it comes here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ackproof.impl.errors import SoftError
from ackproof.impl.topology.definitions import Binding, Change, Destination, Exchange, Kind, Routed
from ackproof.impl.topology.exchanges import Exchanges, refuse_default
from ackproof.impl.topology.graph import Graph
from ackproof.impl.wire.tables import Table

__all__ = ["Topology"]


class Topology(Exchanges):
    """The exchanges of a virtual host, and the bindings between them and to its queues."""

    # -- bindings -------------------------------------------------------------------------------

    def bind_queue(
        self, source: str, queue: str, key: str, arguments: Table, *, durable: bool
    ) -> Change:
        """Bind a queue to an exchange; the same binding twice is one.

        Args:
            source: name of the exchange.
            queue: name of the queue, which is there.
            key: the routing key, or the pattern.
            arguments: part of what tells one binding from another.
            durable: the queue outlives the broker.

        Raises:
            SoftError: 403, the source is the default exchange; 404, it does not exist; 406, it
                cannot use the arguments.
        """
        exchange = self.find_to_use(source)
        return self._bind(exchange, Destination(Kind.QUEUE, queue), key, arguments, durable)

    def bind_exchange(self, source: str, destination: str, key: str, arguments: Table) -> Change:
        """Bind an exchange to another one, or to itself; the same binding twice is one.

        Args:
            source: name of the exchange that messages come from.
            destination: name of the exchange that they go on to.
            key: the routing key, or the pattern.
            arguments: part of what tells one binding from another.

        Raises:
            SoftError: 403, one of them is the default exchange; 404, one does not exist; 406, the
                source cannot use the arguments.
        """
        refuse_default(destination)
        refuse_default(source)
        exchange, onward = self.find(source), self.find(destination)
        arriving = Destination(Kind.EXCHANGE, destination)
        return self._bind(exchange, arriving, key, arguments, onward.durable)

    def _bind(
        self, source: Exchange, to: Destination, key: str, arguments: Table, durable: bool
    ) -> Change:
        leaving = self.graph.leaving(source.name)
        leaving.check(arguments)
        binding = Binding.of(source, to, key, arguments, durable=durable)
        if binding in leaving.bindings:
            return Change()
        most = self.limits.bindings
        self.check_room("binding", self.graph.count, most, f"bind {to.kind} '{to.name}'")
        binding = replace(binding, number=self.next_number())
        self.graph.connect(binding)
        return Change(bound=[binding])

    def unbind_queue(
        self,
        source: str,
        queue: str,
        key: str,
        arguments: Table,
        check: Callable[[], None] = lambda: None,
    ) -> Change:
        """Remove a binding of a queue; none such is as good.

        Args:
            source: name of the exchange.
            queue: name of the queue.
            key: the routing key, or the pattern.
            arguments: part of what tells one binding from another.
            check: called if there is such a binding; raises if the client may not remove it.

        Raises:
            SoftError: 403, the source is the default exchange.
        """
        refuse_default(source)
        return self._unbind(source, Destination(Kind.QUEUE, queue), key, arguments, check)

    def unbind_exchange(self, source: str, destination: str, key: str, arguments: Table) -> Change:
        """Remove a binding between exchanges; none such is as good.

        Raises:
            SoftError: 403, one of them is the default exchange.
        """
        refuse_default(destination)
        refuse_default(source)
        return self._unbind(source, Destination(Kind.EXCHANGE, destination), key, arguments)

    def _unbind(
        self,
        source: str,
        to: Destination,
        key: str,
        arguments: Table,
        check: Callable[[], None] = lambda: None,
    ) -> Change:
        change = Change()
        exchange = self.graph.exchanges.get(source)
        if exchange is not None:
            binding = Binding.of(exchange, to, key, arguments)
            found = self.graph.leaving(source).bindings.get(binding)
            if found is not None:
                check()
                self.graph.remove([found], change)
        return change

    def remove_queue(self, queue: str) -> Change:
        """Remove the bindings of a queue that was deleted."""
        change = Change()
        self.graph.remove(self.graph.arriving(Destination(Kind.QUEUE, queue)), change)
        return change

    def remove_all(self) -> Change:
        """Remove every exchange and every binding: the virtual host is gone."""
        declared = [one for one in self.graph.exchanges.values() if one.number]
        change = Change(deleted=declared, unbound=self.bindings)
        self.graph = Graph()
        return change

    @property
    def bindings(self) -> list[Binding]:
        """Return all bindings that were made."""
        graph = self.graph
        return [one for name in graph.exchanges for one in graph.leaving(name).bindings]

    # -- routing --------------------------------------------------------------------------------

    def publish(self, exchange: str, message: Routed) -> tuple[str, ...]:
        """Return where a message goes that a client publishes to an exchange.

        Returns:
            Names of queues, each once; through the default exchange there may be none of a name.

        Raises:
            SoftError: 404, there is no such exchange; 403, it is internal (A3, guards 3 and 4).
        """
        return self.graph.route(self.find_to_publish(exchange), message)

    def find_to_publish(self, name: str) -> Exchange:
        """Return the exchange of this name, for a client that publishes to it.

        Raises:
            SoftError: 404, there is none; 403, it is internal (A3, guards 3 and 4).
        """
        exchange = self.find(name)
        if exchange.internal:
            raise SoftError(403, f"cannot publish to internal {exchange}")
        return exchange

    def route(self, exchange: str, message: Routed) -> tuple[str, ...]:
        """Return where a message goes that the broker itself sends to an exchange.

        Returns:
            Names of queues, each once; none if there is no such exchange.
        """
        found = self.graph.exchanges.get(exchange)
        return () if found is None else self.graph.route(found, message)
