"""The exchanges and bindings of one virtual host, and what clients may do to them.

Checks are made in the order in which RabbitMQ makes them, since a client may break several at once.
RabbitMQ is strict with what is declared and lenient with what is taken away: to delete or to unbind
what is not there is no error.  Whether a queue exists, and whose it is, the virtual host checks
before it comes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.limits import Limits
from ackproof.impl.topology.equivalence import check_arguments, check_property
from ackproof.impl.topology.graph import TYPES, Graph
from ackproof.impl.topology.parts import Binding, Change, Destination, Exchange, Kind, Routed
from ackproof.impl.wire.tables import Table, type_name

__all__ = ["Topology"]

#: What every virtual host begins with: names and types.
_PREDECLARED = {
    "": "direct",
    "amq.direct": "direct",
    "amq.fanout": "fanout",
    "amq.topic": "topic",
    "amq.headers": "headers",
    "amq.match": "headers",
    "amq.rabbitmq.trace": "topic",
}
_TRACE = "amq.rabbitmq.trace"
_RESERVED = "amq."
_ALTERNATE = "alternate-exchange"
_LIMITS = Limits()


class Topology:
    """The exchanges of a virtual host, and the bindings between them and to its queues.

    Args:
        vhost: its name.
        next_number: gives a number that names a new exchange or binding on the disk.
        limits: how many of them clients may have.
    """

    def __init__(
        self, vhost: str, next_number: Callable[[], int], limits: Limits = _LIMITS
    ) -> None:
        self._limits = limits
        self._vhost = vhost
        self._next_number = next_number
        self._graph = Graph()
        for name, kind in _PREDECLARED.items():
            self._graph.enter(Exchange(vhost, name, kind, True, internal=name == _TRACE))

    def restore(self, exchanges: Iterable[Exchange], bindings: Iterable[Binding]) -> None:
        """Take in what was found on the disk."""
        for exchange in exchanges:
            self._graph.enter(exchange)
        for binding in bindings:
            self._graph.connect(binding)

    # -- exchanges ------------------------------------------------------------------------------

    def find(self, name: str) -> Exchange:
        """Return the exchange of this name.

        Raises:
            SoftError: 404, there is none.
        """
        exchange = self._graph.exchanges.get(name)
        if exchange is None:
            raise SoftError(404, f"no exchange '{name}' in vhost '{self._vhost}'")
        return exchange

    def has(self, name: str) -> bool:
        """Tell whether there is an exchange of this name."""
        return name in self._graph.exchanges

    def find_to_use(self, name: str) -> Exchange:
        """Return the exchange of this name, for a client that names it in a declaration.

        Raises:
            SoftError: 403, it is the default exchange; 404, there is none.
        """
        _refuse_default(name)
        return self.find(name)

    def declare(self, asked: Exchange) -> Change:
        """Declare an exchange; nothing changes if it is there as it is declared.

        Raises:
            HardError: 503, there is no such type.
            SoftError: 403, the name is reserved; 406, it is there with other properties, or the
                alternate exchange is no name, or there are as many as there may be.
        """
        if asked.type not in TYPES:
            unknown = "unknown" if asked.type else "invalid"
            raise HardError(503, f"{unknown} exchange type '{asked.type}'")
        _refuse_default(asked.name)
        there = self._graph.exchanges.get(asked.name)
        if there is not None:
            _check_same(asked, there)
            return Change()
        if asked.name.startswith(_RESERVED):
            raise SoftError(403, f"exchange name '{asked.name}' contains reserved prefix 'amq.*'")
        if asked.alternate is None and _ALTERNATE in asked.arguments:
            wrong = type_name(asked.arguments[_ALTERNATE])
            raise SoftError(406, f"invalid type '{wrong}' for arg '{_ALTERNATE}' in {asked}")
        self._check_room(
            "exchange",
            len(self._graph.exchanges) - len(_PREDECLARED),
            self._limits.exchanges,
            f"declare exchange '{asked.name}'",
        )
        new = replace(asked, number=self._next_number())
        self._graph.enter(new)
        return Change(declared=[new])

    def delete(self, name: str, *, if_unused: bool) -> Change:
        """Delete an exchange with its bindings; none of that name is as good.

        Args:
            name: of the exchange.
            if_unused: only if no binding leads from it.

        Raises:
            SoftError: 403, it is not the client's to delete; 406, it is in use.
        """
        _refuse_default(name)
        if name.startswith(_RESERVED):
            raise SoftError(
                403,
                f"deletion of system exchange '{name}' in vhost '{self._vhost}' not allowed",
            )
        change = Change()
        exchange = self._graph.exchanges.get(name)
        if exchange is not None:
            if if_unused and self._graph.leaving(name).bindings:
                raise SoftError(406, f"{exchange} in use")
            self._graph.drop(exchange, change)
        return change

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
        _refuse_default(destination)
        _refuse_default(source)
        exchange, onward = self.find(source), self.find(destination)
        arriving = Destination(Kind.EXCHANGE, destination)
        return self._bind(exchange, arriving, key, arguments, onward.durable)

    def _bind(
        self, source: Exchange, to: Destination, key: str, arguments: Table, durable: bool
    ) -> Change:
        leaving = self._graph.leaving(source.name)
        leaving.check(arguments)
        binding = Binding.of(source, to, key, arguments, durable=durable)
        if binding in leaving.bindings:
            return Change()
        most = self._limits.bindings
        self._check_room("binding", self._graph.count, most, f"bind {to.kind} '{to.name}'")
        binding = replace(binding, number=self._next_number())
        self._graph.connect(binding)
        return Change(bound=[binding])

    def _check_room(self, what: str, count: int, most: int, asked: str) -> None:
        """Refuse one more of something if there are as many as there may be."""
        if count >= most:
            raise SoftError(
                406,
                f"cannot {asked}: {what} limit in vhost '{self._vhost}' ({most}) is reached",
            )

    def unbind_queue(self, source: str, queue: str, key: str, arguments: Table) -> Change:
        """Remove a binding of a queue; none such is as good.

        Raises:
            SoftError: 403, the source is the default exchange.
        """
        _refuse_default(source)
        return self._unbind(source, Destination(Kind.QUEUE, queue), key, arguments)

    def unbind_exchange(self, source: str, destination: str, key: str, arguments: Table) -> Change:
        """Remove a binding between exchanges; none such is as good.

        Raises:
            SoftError: 403, one of them is the default exchange.
        """
        _refuse_default(destination)
        _refuse_default(source)
        return self._unbind(source, Destination(Kind.EXCHANGE, destination), key, arguments)

    def _unbind(self, source: str, to: Destination, key: str, arguments: Table) -> Change:
        change = Change()
        exchange = self._graph.exchanges.get(source)
        if exchange is not None:
            binding = Binding.of(exchange, to, key, arguments)
            found = self._graph.leaving(source).bindings.get(binding)
            self._graph.remove([] if found is None else [found], change)
        return change

    def remove_queue(self, queue: str) -> Change:
        """Remove the bindings of a queue that was deleted."""
        change = Change()
        self._graph.remove(self._graph.arriving(Destination(Kind.QUEUE, queue)), change)
        return change

    # -- routing --------------------------------------------------------------------------------

    def publish(self, exchange: str, message: Routed) -> tuple[str, ...]:
        """Return where a message goes that a client publishes to an exchange.

        Returns:
            Names of queues, each once; through the default exchange there may be none of a name.

        Raises:
            SoftError: 404, there is no such exchange; 403, it is internal (A3, guards 3 and 4).
        """
        return self._graph.route(self.find_to_publish(exchange), message)

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
        found = self._graph.exchanges.get(exchange)
        return () if found is None else self._graph.route(found, message)


def _refuse_default(name: str) -> None:
    if not name:
        raise SoftError(403, "operation not permitted on the default exchange")


def _check_same(asked: Exchange, there: Exchange) -> None:
    check_property(there, "type", asked.type, there.type)
    check_property(there, "durable", asked.durable, there.durable)
    check_property(there, "auto_delete", asked.auto_delete, there.auto_delete)
    check_property(there, "internal", asked.internal, there.internal)
    check_arguments(there, [_ALTERNATE], asked.arguments, there.arguments)
