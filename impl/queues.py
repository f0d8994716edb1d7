"""The queues of one virtual host, by name: declared, found, and deleted.

A queue that was declared exclusive is its connection's, and goes with it.  All others are for every
client of the virtual host.  The checks are made in the order in which RabbitMQ makes them, since a
client may break several at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.impl.arguments import check_arguments, check_same_arguments
from ackproof.impl.errors import SoftError
from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.queuetypes import check_type
from ackproof.impl.storage.stored import StoredQueue
from ackproof.impl.topology.equivalence import check_property
from ackproof.impl.topology.parts import Change
from ackproof.impl.topology.topology import Topology
from ackproof.impl.wire.tables import Table

if TYPE_CHECKING:
    from ackproof.impl.broker import Broker

__all__ = ["Queues"]


class Queues:
    """The queues of a virtual host.

    Args:
        name: of the virtual host.
        broker: what takes the steps, and gives out numbers.

    Attributes:
        queues: by name.
        topology: the exchanges and bindings of the virtual host.
    """

    def __init__(self, name: str, broker: Broker) -> None:
        self.name = name
        self.queues: dict[str, HostedQueue] = {}
        self.topology = Topology(name, broker.next_number, broker.limits)
        self._broker = broker
        self._exclusive: dict[object, dict[str, None]] = {}

    def restore(self, found: StoredQueue) -> None:
        """Take in a queue that was found on the disk."""
        queue = HostedQueue(
            found.name,
            found.number,
            vhost=self.name,
            durable=True,
            auto_delete=found.auto_delete,
            arguments=found.arguments,
        )
        queue.restore(found.messages, found.expiries)
        queue.replica = found.replica
        self.queues[found.name] = queue
        self._broker.steps.used(queue)
        self._broker.steps.replicate(queue)

    def find(self, name: str, asking: object) -> HostedQueue:
        """Return the queue of this name.

        Raises:
            SoftError: 404, there is none; 405, it belongs to another connection.
        """
        self.check_access(name, asking)
        self._broker.steps.await_running(self.queues[name])
        queue = self.queues[name]
        if not self._broker.steps.reaches(queue):
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
    ) -> tuple[HostedQueue, bool]:
        """Declare a queue, under a name of the broker's choice if `name` is empty.

        Args:
            name: its name.
            durable: it outlives the broker.
            auto_delete: it goes with its last consumer.
            exclusive: it belongs to the connection that declares it, and goes with it.
            arguments: see `ackproof.impl.arguments`.
            asking: the connection that declares it.

        Returns:
            The queue, and whether it is new.

        Raises:
            SoftError: 403, the name is reserved; 405, the queue belongs to another connection, or
                would; 406, it is there with other properties, an argument is wrong, or there are
                as many queues as there may be.
            HardError: 540, this broker has no queues of that type.
        """
        if name in self.queues:
            queue = self.find(name, asking)
            if exclusive is (queue.owner is None):
                raise self._locked(name)
            check_property(queue, "durable", durable, queue.durable)
            check_property(queue, "auto_delete", auto_delete, queue.auto_delete)
            check_same_arguments(queue, arguments, queue.arguments)
            self._broker.steps.used(queue)
            return queue, False
        if name.startswith("amq."):
            raise SoftError(403, f"queue name '{name}' contains reserved prefix 'amq.*'")
        most = self._broker.limits.queues
        if len(self.queues) >= most:
            raise SoftError(
                406,
                f"cannot declare queue '{name}': queue limit in vhost '{self.name}' ({most}) "
                "is reached",
            )
        what = f"queue '{name}' in vhost '{self.name}'"
        check_arguments(what, arguments)
        check_type(what, arguments, durable=durable, auto_delete=auto_delete, exclusive=exclusive)
        queue = HostedQueue(
            name or f"amq.gen-{self._broker.steps.scheduler.token()}",
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
        self._broker.steps.used(queue)
        if queue.machine.durable:
            self._broker.journal.created(queue)
        self._broker.steps.replicate(queue)
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
        self._broker.steps.await_running(queue)
        queue = self.queues[queue.name]
        ready = len(queue.machine.ready)
        del self.queues[queue.name]
        self._exclusive.get(queue.owner, {}).pop(queue.name, None)
        self.changed(self.topology.remove_queue(queue.name))
        self._broker.steps.delete_queue(queue)
        return ready

    def led(self, queue: HostedQueue) -> None:
        """Another process leads its queue from now on (D5.5)."""
        self.queues[queue.name] = queue

    def abandon(self, queue: HostedQueue) -> None:
        """Delete a queue that nobody uses any more, if it was not deleted before (B7.5)."""
        if self.queues.get(queue.name) is queue and self._broker.steps.reaches(queue):
            self.delete(queue)

    def purge(self, queue: HostedQueue) -> int:
        """Drop every ready message of a queue; return how many there were (B8.4)."""
        ready = sorted(queue.machine.ready)
        for msg in ready:
            self._broker.steps.drop(queue, msg)
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
