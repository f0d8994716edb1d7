"""The exchanges of one virtual host: which there are, and what clients may do to them.

Checks are made in the order in which RabbitMQ makes them, since a client may break several at once.
RabbitMQ is strict with what is declared and lenient with what is taken away: to delete what is not
there is no error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ackproof.impl.access.permissions import EVERYTHING, Access
from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.limits import Limits
from ackproof.impl.topology.definitions import Binding, Change, Exchange
from ackproof.impl.topology.equivalence import check_arguments, check_property
from ackproof.impl.topology.graph import TYPES, Graph
from ackproof.impl.wire.values import type_name

__all__ = ["Exchanges", "refuse_default"]

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


class Exchanges:
    """The exchanges of a virtual host.

    Args:
        vhost: its name.
        next_number: gives a number that names a new exchange or binding on the disk.
        limits: how many of them clients may have.
    """

    def __init__(
        self, vhost: str, next_number: Callable[[], int], limits: Limits = _LIMITS
    ) -> None:
        self.limits = limits
        self._vhost = vhost
        self.next_number = next_number
        self.graph = Graph()
        for name, kind in _PREDECLARED.items():
            self.graph.enter(Exchange(vhost, name, kind, True, internal=name == _TRACE))

    def restore(self, exchanges: Iterable[Exchange], bindings: Iterable[Binding]) -> None:
        """Take in what was found on the disk."""
        for exchange in exchanges:
            self.graph.enter(exchange)
        for binding in bindings:
            self.graph.connect(binding)

    def find(self, name: str) -> Exchange:
        """Return the exchange of this name.

        Raises:
            SoftError: 404, there is none.
        """
        exchange = self.graph.exchanges.get(name)
        if exchange is None:
            raise SoftError(404, f"no exchange '{name}' in vhost '{self._vhost}'")
        return exchange

    def has(self, name: str) -> bool:
        """Tell whether there is an exchange of this name."""
        return name in self.graph.exchanges

    def find_to_use(self, name: str) -> Exchange:
        """Return the exchange of this name, for a client that names it in a declaration.

        Raises:
            SoftError: 403, it is the default exchange; 404, there is none.
        """
        refuse_default(name)
        return self.find(name)

    def declare(self, asked: Exchange, access: Access = EVERYTHING) -> Change:
        """Declare an exchange; nothing changes if it is there as it is declared.

        Raises:
            HardError: 503, there is no such type.
            SoftError: 403, the name is reserved, or the user may not; 406, it is there with other
                properties, or the alternate exchange is no name, or there are as many as may be.
        """
        if asked.type not in TYPES:
            unknown = "unknown" if asked.type else "invalid"
            raise HardError(503, f"{unknown} exchange type '{asked.type}'")
        refuse_default(asked.name)
        access.check_configure("exchange", asked.name)
        there = self.graph.exchanges.get(asked.name)
        if there is not None:
            _check_same(asked, there)
            return Change()
        if asked.name.startswith(_RESERVED):
            raise SoftError(403, f"exchange name '{asked.name}' contains reserved prefix 'amq.*'")
        if asked.alternate is None and _ALTERNATE in asked.arguments:
            wrong = type_name(asked.arguments[_ALTERNATE])
            raise SoftError(406, f"invalid type '{wrong}' for arg '{_ALTERNATE}' in {asked}")
        if asked.alternate is not None:
            access.check_read("exchange", asked.name)
            access.check_write("exchange", asked.alternate)
        self.check_room(
            "exchange",
            len(self.graph.exchanges) - len(_PREDECLARED),
            self.limits.exchanges,
            f"declare exchange '{asked.name}'",
        )
        new = replace(asked, number=self.next_number())
        self.graph.enter(new)
        return Change(declared=[new])

    def delete(self, name: str, *, if_unused: bool, access: Access = EVERYTHING) -> Change:
        """Delete an exchange with its bindings; none of that name is as good.

        Args:
            name: of the exchange.
            if_unused: only if no binding leads from it.
            access: what the user may do.

        Raises:
            SoftError: 403, it is not the client's to delete; 406, it is in use.
        """
        refuse_default(name)
        if name.startswith(_RESERVED):
            raise SoftError(
                403,
                f"deletion of system exchange '{name}' in vhost '{self._vhost}' not allowed",
            )
        access.check_configure("exchange", name)
        change = Change()
        exchange = self.graph.exchanges.get(name)
        if exchange is not None:
            if if_unused and self.graph.leaving(name).bindings:
                raise SoftError(406, f"{exchange} in use")
            self.graph.drop(exchange, change)
        return change

    def check_room(self, what: str, count: int, most: int, asked: str) -> None:
        """Refuse one more of something if there are as many as there may be."""
        if count >= most:
            raise SoftError(
                406,
                f"cannot {asked}: {what} limit in vhost '{self._vhost}' ({most}) is reached",
            )


def refuse_default(name: str) -> None:
    """Refuse what nobody may do to the default exchange.

    Raises:
        SoftError: 403, it is the default exchange.
    """
    if not name:
        raise SoftError(403, "operation not permitted on the default exchange")


def _check_same(asked: Exchange, there: Exchange) -> None:
    check_property(there, "type", asked.type, there.type)
    check_property(there, "durable", asked.durable, there.durable)
    check_property(there, "auto_delete", asked.auto_delete, there.auto_delete)
    check_property(there, "internal", asked.internal, there.internal)
    check_arguments(there, [_ALTERNATE], asked.arguments, there.arguments)
