"""What a broker finds on its disk when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ackproof.impl.access.directory import Record
from ackproof.impl.machines.queue_processes import Placed
from ackproof.impl.topology.definitions import Binding, Exchange
from ackproof.impl.wire.tables import Table

__all__ = ["Stored", "StoredQueue"]


@dataclass(frozen=True)
class StoredQueue:
    """A queue: as it was declared, and its messages, in its order.

    Attributes:
        replica: which of the node's stores its messages are in.
    """

    name: str
    number: int
    auto_delete: bool
    messages: list[Placed]
    vhost: str = "/"
    arguments: Table = field(default_factory=dict)
    replica: int = 0


@dataclass(frozen=True)
class Stored:
    """Everything durable of a node.

    Attributes:
        users_known: the records say who may come in.
    """

    queues: list[StoredQueue] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    users_known: bool = False

    def without_users(self) -> Stored:
        """Return the same, but nothing of users and what they may do."""
        kept = [record for record in self.records if record.kind == "vhost"]
        return replace(self, records=kept, users_known=False)

    @property
    def last_number(self) -> int:
        """Return the highest number of anything that is here, or 0."""
        numbers = [queue.number for queue in self.queues]
        numbers += [exchange.number for exchange in self.exchanges]
        numbers += [binding.number for binding in self.bindings]
        return max(numbers, default=0)
