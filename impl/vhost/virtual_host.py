"""A virtual host: queues by name, a topology, and everything a client may ask of them.

Virtual hosts share nothing but the broker: a name means something else in each.  A connection lives
in one of them, which it names when it opens.  What is kept here is what the specification takes as
given: which queues there are, and where a message is routed.  What becomes of a message, the
broker's steps say.

A queue that was declared exclusive is its connection's, and goes with it.  All others are for every
client of the virtual host.  The checks are made in the order in which RabbitMQ makes them, since a
client may break several at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.impl.access.directory import Record
from ackproof.impl.access.permissions import EVERYTHING, Access
from ackproof.impl.errors import SoftError
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.x_death import Cause, cycles, dead_letter
from ackproof.impl.storage.stored import StoredQueue
from ackproof.impl.topology.definitions import Change
from ackproof.impl.topology.equivalence import check_property
from ackproof.impl.topology.queue_arguments import check_arguments, check_same_arguments
from ackproof.impl.topology.queue_types import check_type
from ackproof.impl.topology.topology import Topology
from ackproof.impl.vhost.broker_services import BrokerServices
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.tables import Table
from ackproof.lang import Event

__all__ = ["DEFAULT", "VirtualHost"]

#: Name of the virtual host that is always there.
DEFAULT = "/"


def _tell_nobody(_: Event, __: Message | None) -> None:
    """What the broker itself publishes, nobody waits for."""


class VirtualHost:
    """The queues of one virtual host, and how messages are routed to them.

    Args:
        name: as clients name it in connection.open.
        broker: what takes the steps, and gives out numbers.

    Attributes:
        description: what it is for, as people say.
        queues: by name.
        tags: what people call it.
        topology: the exchanges and bindings of the virtual host.
    """

    def __init__(self, name: str, broker: BrokerServices) -> None:
        self.name = name
        self.description = ""
        self.tags: tuple[str, ...] = ()
        self.queues: dict[str, HostedQueue] = {}
        self.topology = Topology(name, broker.next_number, broker.limits)
        self._broker = broker
        self._exclusive: dict[object, dict[str, None]] = {}
        self._own_channel = broker.open_channel(_tell_nobody)

    def describe(self, description: str = "", tags: Iterable[str] = ()) -> None:
        """Say what it is for."""
        self.description = description
        self.tags = tuple(tags)

    @property
    def record(self) -> Record:
        """Return what the disk keeps of it, besides what is in it."""
        value = {"description": self.description, "tags": list(self.tags)}
        return Record("vhost", (self.name,), value)

    def end(self) -> None:
        """Delete all that is in it; nothing is published in it any more."""
        for queue in list(self.queues.values()):
            self.delete(queue)
        self.changed(self.topology.remove_all())
        if self._own_channel.machine.open:
            self._broker.close_channel(self._own_channel)

    def pause(self) -> None:
        """The node pauses: nothing is published any more, not by the broker either (A12.2, D9)."""
        self._broker.close_channel(self._own_channel)

    def resume(self) -> None:
        """The node starts again."""
        self._own_channel = self._broker.open_channel(_tell_nobody)

    # -- queues ---------------------------------------------------------------------------------

    def restore(self, found: StoredQueue) -> HostedQueue:
        """Take in a queue that was found on the disk; it has not started yet."""
        queue = HostedQueue(
            self._broker.system,
            found.name,
            found.number,
            vhost=self.name,
            durable=True,
            auto_delete=found.auto_delete,
            arguments=found.arguments,
        )
        queue.restore(found.messages)
        queue.replica = found.replica
        self.queues[found.name] = queue
        return queue

    def find(self, name: str, asking: object) -> HostedQueue:
        """Return the queue of this name.

        Raises:
            SoftError: 404, there is none; 405, it belongs to another connection.
        """
        self.check_access(name, asking)
        self._broker.steps.partitions.await_running(self.queues[name])
        queue = self.queues[name]
        if not self._broker.steps.sides.reaches(queue):
            raise SoftError(
                404,
                f"home node 'replica {queue.replica}' of durable {queue} is down or inaccessible",
            )
        return queue

    def check_access(self, name: str, asking: object) -> None:
        """Check that a client may name a queue.

        Raises:
            SoftError: 404, there is none; 405, it belongs to another connection.
        """
        queue = self.queues.get(name)
        if queue is None:
            raise SoftError(404, f"no queue '{name}' in vhost '{self.name}'")
        if queue.owner is not None and queue.owner is not asking:
            raise self._locked(name)

    def declare(
        self,
        name: str,
        *,
        durable: bool,
        auto_delete: bool,
        exclusive: bool,
        arguments: Table,
        asking: object,
        access: Access = EVERYTHING,
    ) -> tuple[HostedQueue, bool]:
        """Declare a queue, under a name of the broker's choice if `name` is empty.

        Args:
            name: its name.
            durable: it outlives the broker.
            auto_delete: it goes with its last consumer.
            exclusive: it belongs to the connection that declares it, and goes with it.
            arguments: see `ackproof.impl.topology.queue_arguments`.
            asking: the connection that declares it.
            access: what its user may do.

        Returns:
            The queue, and whether it is new.

        Raises:
            SoftError: 403, the name is reserved, or the user may not; 405, the queue belongs to
                another connection, or would; 406, it is there with other properties, an argument
                is wrong, or there are as many queues as there may be.
            HardError: 540, this broker has no queues of that type.
        """
        if name.startswith("amq."):
            raise SoftError(403, f"queue name '{name}' contains reserved prefix 'amq.*'")
        name = name or f"amq.gen-{self._broker.steps.context.scheduler.token()}"
        access.check_configure("queue", name)
        if name in self.queues:
            queue = self.find(name, asking)
            if exclusive is (queue.owner is None):
                raise self._locked(name)
            check_property(queue, "durable", durable, queue.durable)
            check_property(queue, "auto_delete", auto_delete, queue.auto_delete)
            check_same_arguments(queue, arguments, queue.arguments)
            self._broker.steps.context.timers.used(queue)
            return queue, False
        most = self._broker.limits.queues
        if len(self.queues) >= most:
            raise SoftError(
                406,
                f"cannot declare queue '{name}': queue limit in vhost '{self.name}' ({most}) "
                "is reached",
            )
        what = f"queue '{name}' in vhost '{self.name}'"
        _check_dead_letters(name, arguments, access)
        check_arguments(what, arguments)
        check_type(what, arguments, durable=durable, auto_delete=auto_delete, exclusive=exclusive)
        queue = HostedQueue(
            self._broker.system,
            name,
            self._broker.next_number(),
            vhost=self.name,
            durable=durable,
            auto_delete=auto_delete,
            owner=asking if exclusive else None,
            arguments=arguments,
        )
        self.queues[queue.name] = queue
        if exclusive:
            self._exclusive.setdefault(asking, {})[queue.name] = None
        self._broker.history.declared(queue)
        self._broker.steps.context.timers.used(queue)
        if queue.machine.durable:
            self._broker.journal.created(queue)
        self._broker.steps.processes.replicate(queue)
        return queue, True

    def _locked(self, name: str) -> SoftError:
        return SoftError(
            405,
            f"cannot obtain exclusive access to locked queue '{name}' in vhost '{self.name}'. "
            "It could be originally declared on another connection or the exclusive "
            "property value does not match that of the original declaration.",
        )

    def delete(self, queue: HostedQueue) -> int:
        """Delete a queue; return how many messages were ready in it."""
        self._broker.steps.partitions.await_running(queue)
        queue = self.queues[queue.name]
        ready = len(queue.machine.ready)
        del self.queues[queue.name]
        self._exclusive.get(queue.owner, {}).pop(queue.name, None)
        self.changed(self.topology.remove_queue(queue.name))
        self._broker.steps.processes.delete_queue(queue)
        return ready

    def set_leader(self, queue: HostedQueue) -> None:
        """Another process leads its queue from now on (D5.5)."""
        self.queues[queue.name] = queue

    def delete_unused(self, queue: HostedQueue) -> None:
        """Delete a queue that nobody uses any more, if it was not deleted before (B7.5)."""
        if self.queues.get(queue.name) is queue and self._broker.steps.sides.reaches(queue):
            self.delete(queue)

    def purge(self, queue: HostedQueue) -> int:
        """Drop every ready message of a queue; return how many there were (B8.4)."""
        ready = queue.ready()
        for msg in ready:
            self._broker.steps.contents.let_go(queue, msg)
        return len(ready)

    def delete_exclusive(self, owner: object) -> None:
        """Delete what was exclusive to a connection that is gone."""
        for name in list(self._exclusive.get(owner, ())):
            self.delete(self.queues[name])
        self._exclusive.pop(owner, None)

    def changed(self, change: Change) -> bool:
        """Tell the disk what has changed in the topology; return whether there was anything."""
        durable = change.durable()
        if durable:
            self._broker.journal.changed(durable)
        return bool(durable)

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

    def publish_dead_letter(
        self, queue: HostedQueue, message: Message, cause: Cause, now: float
    ) -> None:
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
        if targets and self._own_channel.machine.open:
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


def _check_dead_letters(name: str, arguments: Table, access: Access) -> None:
    """Check that the user may have a queue's dead letters published where they are to go.

    Raises:
        SoftError: 403, it may not read the queue, or not write to the exchange.
    """
    exchange = arguments.get("x-dead-letter-exchange")
    if isinstance(exchange, str):
        access.check_read("queue", name)
        access.check_write("exchange", exchange)
