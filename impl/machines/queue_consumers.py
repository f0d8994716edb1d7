"""The consumers of a queue, and whose turn it is.

The specification lets a queue hand a message to any of its consumers that has room.  Which of them
gets it is said here as RabbitMQ does (B3.5): one of the highest priority, and among those the one
that has waited longest.  A consumer that was found to have no room is *parked*, and is not looked
at again until something has changed for its channel; then it waits last of its priority.

An *exclusive* consumer is alone at its queue (B8.1).  A queue with a *single active consumer* has
many and serves one, the first that came; when that one goes, the next is served (B8.2).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic

from ackproof.impl.machines.consuming_machines import ChannelConsumer
from ackproof.impl.machines.publishing_machines import Q

__all__ = ["QueueConsumers"]


class QueueConsumers(Generic[Q]):
    """The consumers of one queue.

    Args:
        single: only one of them is served at a time, the one that came first.
    """

    def __init__(self, *, single: bool = False) -> None:
        self.single = single
        self._all: dict[ChannelConsumer[Q], None] = {}
        self._parked: set[ChannelConsumer[Q]] = set()
        self.turns: dict[int, OrderedDict[ChannelConsumer[Q], None]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[ChannelConsumer[Q]]:
        return iter(self._all)

    @property
    def exclusive(self) -> bool:
        """Tell whether there is an exclusive consumer; if so, there is no other one."""
        first = next(iter(self._all), None)
        return first is not None and first.exclusive

    def add(self, consumer: ChannelConsumer[Q]) -> None:
        """A consumer comes; it is parked until somebody sees that it can take something."""
        self._all[consumer] = None
        self._parked.add(consumer)
        consumer.channel.parked[consumer] = None

    def _line_up(self, consumer: ChannelConsumer[Q]) -> None:
        """A consumer waits for its turn."""
        if consumer.priority not in self.turns:
            self.turns[consumer.priority] = OrderedDict()
            self.turns = dict(sorted(self.turns.items(), reverse=True))
        self.turns[consumer.priority][consumer] = None

    def remove(self, consumer: ChannelConsumer[Q]) -> None:
        """A consumer goes."""
        self._all.pop(consumer, None)
        self._leave(consumer)
        self._parked.discard(consumer)

    def next(self) -> ChannelConsumer[Q] | None:
        """Return the consumer whose turn it is; None if all are parked."""
        if self.single:
            active = next(iter(self._all), None)
            return None if active in self._parked else active
        for waiting in self.turns.values():
            return next(iter(waiting))
        return None

    def served(self, consumer: ChannelConsumer[Q]) -> None:
        """A consumer has had its turn."""
        self.turns[consumer.priority].move_to_end(consumer)

    def park(self, consumer: ChannelConsumer[Q]) -> None:
        """A consumer cannot take anything for now."""
        self._leave(consumer)
        self._parked.add(consumer)
        consumer.channel.parked[consumer] = None

    def wake(self, consumer: ChannelConsumer[Q]) -> None:
        """A consumer may be able to take something again."""
        if consumer in self._parked:
            self._parked.discard(consumer)
            self._line_up(consumer)

    def _leave(self, consumer: ChannelConsumer[Q]) -> None:
        waiting = self.turns.get(consumer.priority)
        if waiting is not None:
            waiting.pop(consumer, None)
            if not waiting:
                del self.turns[consumer.priority]
