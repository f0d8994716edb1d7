"""The broker behind the sockets: queues by name, and everything a client may ask of them.

It knows nothing of frames, connections, time or files.  Sessions call it, the shell commits its
journal, and between the two it takes the steps of the specification that its scheduler chooses.

What it decides itself is what the specification takes as given: which queues there are, and where
a message is routed.  Of exchanges it has the default one, which routes to the queue of that name
(A5.1).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from ackproof.impl.content import Message
from ackproof.impl.errors import SoftError
from ackproof.impl.hosted import HostedQueue
from ackproof.impl.journal import Batch, Journal
from ackproof.impl.publishing import PublishingChannel, Tell
from ackproof.impl.scheduler import Eager, Scheduler
from ackproof.impl.steps import Steps
from ackproof.spec.sorts import Msg

__all__ = ["VHOST", "Broker", "StoredQueue"]

VHOST = "/"


@dataclass(frozen=True)
class StoredQueue:
    """A queue as it was found on the disk: its messages by id, oldest first."""

    name: str
    number: int
    auto_delete: bool
    messages: list[Msg]


class Broker:
    """Queues, and the channels that publish to them.

    Not safe to be used by several threads; see `ackproof.impl.running` for one that is.

    Args:
        scheduler: chooses the order of steps; by default everything happens at once.
        stored: the queues that were found on the disk.
    """

    def __init__(
        self, scheduler: Scheduler | None = None, stored: Iterable[StoredQueue] = ()
    ) -> None:
        self.journal = Journal()
        self.queues: dict[str, HostedQueue] = {}
        self._steps = Steps(scheduler or Eager(), self.journal)
        self._last_queue = 0
        self._last_message = 0
        for found in stored:
            self._restore(found)

    def _restore(self, found: StoredQueue) -> None:
        queue = HostedQueue(found.name, found.number, durable=True, auto_delete=found.auto_delete)
        queue.restore(found.messages)
        self.queues[found.name] = queue
        self._last_queue = max(self._last_queue, found.number)
        newest = max((cast(int, msg) for msg in found.messages), default=0)
        self._last_message = max(self._last_message, newest)

    # -- steps ----------------------------------------------------------------------------------

    def run(self, *, idle: bool) -> None:
        """Take the steps that are due.

        Args:
            idle: there is no more input for now; then the channels tell their publishers.
        """
        self._steps.run(idle)

    def committed(self, batch: Batch) -> None:
        """A commit has returned: the disk has what was in the batch."""
        for queue in self.journal.committed(batch):
            self._steps.landed(queue)

    # -- channels -------------------------------------------------------------------------------

    def open_channel(self, tell: Tell) -> PublishingChannel:
        """Open a channel; `tell` gets everything its publisher is to be told."""
        return PublishingChannel(tell)

    def close_channel(self, channel: PublishingChannel) -> None:
        """Close a channel; what was not told by now is never told (A14)."""
        self._steps.close(channel)

    def publish(self, channel: PublishingChannel, message: Message) -> None:
        """Route a message and publish it.

        Raises:
            SoftError: 404, there is no such exchange (A3, guard 3).
        """
        if message.exchange:
            raise SoftError(404, f"no exchange '{message.exchange}' in vhost '{VHOST}'")
        found = (self.queues.get(key) for key in message.routing_keys)
        targets = dict.fromkeys(queue for queue in found if queue is not None)
        self._last_message += 1
        self._steps.publish(channel, cast(Msg, self._last_message), message, targets)
        self._steps.run(idle=False)

    # -- queues ---------------------------------------------------------------------------------

    def find(self, name: str, asking: object) -> HostedQueue:
        """Return the queue of this name.

        Raises:
            SoftError: 404, there is none; 405, it belongs to another connection.
        """
        queue = self.queues.get(name)
        if queue is None:
            raise SoftError(404, f"no queue '{name}' in vhost '{VHOST}'")
        if queue.owner is not None and queue.owner is not asking:
            raise SoftError(
                405,
                f"cannot obtain exclusive access to locked queue '{name}' in vhost '{VHOST}'. "
                "It could be originally declared on another connection or the exclusive "
                "property value does not match that of the original declaration.",
            )
        return queue

    def declare(
        self,
        name: str,
        *,
        durable: bool,
        auto_delete: bool,
        exclusive: bool,
        asking: object,
    ) -> tuple[HostedQueue, bool]:
        """Declare a queue, under a name of the broker's choice if `name` is empty.

        Args:
            name: its name.
            durable: it outlives the broker.
            auto_delete: it goes with its last consumer.
            exclusive: it belongs to the connection that declares it, and goes with it.
            asking: the connection that declares it.

        Returns:
            The queue, and whether it is new.

        Raises:
            SoftError: 403, the name is reserved; 405, the queue belongs to another connection;
                406, it is there with other properties.
        """
        if name in self.queues:
            queue = self.find(name, asking)
            _check_same(queue, durable, auto_delete, exclusive)
            return queue, False
        if name.startswith("amq."):
            raise SoftError(403, f"queue name '{name}' contains reserved prefix 'amq.*'")
        self._last_queue += 1
        queue = HostedQueue(
            name or f"amq.gen-{secrets.token_urlsafe(16)}",
            self._last_queue,
            durable=durable,
            auto_delete=auto_delete,
            owner=asking if exclusive else None,
        )
        self.queues[queue.name] = queue
        if queue.machine.durable:
            self.journal.created(queue)
        return queue, True

    def delete(self, queue: HostedQueue) -> int:
        """Delete a queue; return how many messages were ready in it."""
        ready = len(queue.machine.ready)
        del self.queues[queue.name]
        self._steps.delete_queue(queue)
        return ready

    def purge(self, queue: HostedQueue) -> int:
        """Drop every ready message of a queue; return how many there were (B8.4)."""
        ready = sorted(queue.machine.ready)
        for msg in ready:
            self._steps.drop(queue, msg)
        return len(ready)

    def delete_exclusive(self, owner: object) -> None:
        """Delete what was exclusive to a connection that is gone."""
        for queue in [q for q in self.queues.values() if q.owner is owner]:
            self.delete(queue)

    # -- faults ---------------------------------------------------------------------------------

    def crash_queue(self, name: str) -> None:
        """Crash the process of a queue, which restarts from its files (C5, A9).

        What the queue had not confirmed is nacked; what it had only in memory is lost.

        Raises:
            LookupError: there is no queue of this name.
        """
        queue = self.queues.get(name)
        if queue is None:
            known = ", ".join(sorted(self.queues)) or "none"
            raise LookupError(f"there is no queue {name!r} to crash; there are: {known}")
        self._steps.crash_queue(queue)
        self._steps.run(idle=True)


def _check_same(queue: HostedQueue, durable: bool, auto_delete: bool, exclusive: bool) -> None:
    asked = {"durable": durable, "auto_delete": auto_delete, "exclusive": exclusive}
    there = {
        "durable": queue.durable,
        "auto_delete": queue.auto_delete,
        "exclusive": queue.owner is not None,
    }
    for name, value in asked.items():
        if value != there[name]:
            raise SoftError(
                406,
                f"inequivalent arg '{name}' for queue '{queue.name}' in vhost '{VHOST}': "
                f"received '{str(value).lower()}' but current is '{str(there[name]).lower()}'",
            )
