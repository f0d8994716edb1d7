"""A virtual host: queues by name, a topology, and everything a client may ask of them.

Virtual hosts share nothing but the broker: a name means something else in each.  A connection lives
in one of them, which it names when it opens.  What is kept here is what the specification takes as
given: which queues there are (`ackproof.impl.queues`), and where a message is routed.  What becomes
of a message, the broker's steps say.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.machines.publishing import PublishingChannel
from ackproof.impl.queues import Queues
from ackproof.impl.steps.deadletters import Cause, cycles, dead_letter
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.tables import Table
from ackproof.spec.lang import Event

if TYPE_CHECKING:
    from ackproof.impl.broker import Broker

__all__ = ["DEFAULT", "VirtualHost"]

#: Name of the virtual host that is always there.
DEFAULT = "/"


def _tell_nobody(_: Event, __: Message | None) -> None:
    """What the broker itself publishes, nobody waits for."""


class VirtualHost(Queues):
    """The queues of one virtual host, and how messages are routed to them.

    Args:
        name: as clients name it in connection.open.
        broker: what takes the steps, and gives out numbers.
    """

    def __init__(self, name: str, broker: Broker) -> None:
        super().__init__(name, broker)
        self._own_channel = broker.open_channel(_tell_nobody)

    # -- publishing -----------------------------------------------------------------------------

    def publish(
        self, channel: PublishingChannel, message: Message, immediate: bool = False
    ) -> None:
        """Route a message and publish it; to no queue but those that hand it on now, if immediate.

        Raises:
            SoftError: 404, there is no such exchange; 403, it is internal (A3, guards 3 and 4).
        """
        names = self.topology.publish(message.exchange, message)
        self._reply(message.exchange, message)
        publish = self._broker.publish_at_once if immediate else self._broker.publish
        publish(channel, message, self._queues(names))

    def route(self, exchange: str, message: Message) -> list[HostedQueue]:
        """Return the queues that a message reaches which the broker itself sends to an exchange."""
        self._reply(exchange, message)
        return self._queues(self.topology.route(exchange, message))

    def bury(self, queue: HostedQueue, message: Message, cause: Cause, now: float) -> None:
        """Publish what a queue has given up to its dead letter exchange (B4.4, B4.5).

        Args:
            queue: has a dead letter exchange, which need not be there.
            message: is lost to the queue.
            cause: why.
            now: seconds since 1970.
        """
        exchange = queue.dead_letter_exchange
        if exchange is None or not self.topology.has(exchange):
            return
        letter = dead_letter(message, cause, queue, exchange, now, self._broker.memory)
        targets = self.route(exchange, letter)
        if cause is not Cause.REJECTED:
            endless = cycles(letter, targets)
            targets = [target for target in targets if target not in endless]
        if targets:
            self._broker.send(self._own_channel, letter, targets)

    def _reply(self, exchange: str, message: Message) -> None:
        """Deliver a message to those who wait for it without a queue (A5.1)."""
        if not exchange and self._broker.replies:
            self._broker.replies.deliver(message)

    def _queues(self, names: Iterable[str]) -> list[HostedQueue]:
        queues = self.queues
        return [queues[name] for name in names if name in queues]

    # -- exchanges and bindings -----------------------------------------------------------------

    def bind(self, queue: HostedQueue, source: str, key: str, arguments: Table) -> bool:
        """Bind a queue to an exchange.

        Returns:
            Whether the disk has to be told.

        Raises:
            SoftError: 403, 404 or 406, as `Topology.bind_queue` does.
        """
        durable = queue.machine.durable
        change = self.topology.bind_queue(source, queue.name, key, arguments, durable=durable)
        return self.changed(change)
