"""A channel of the broker and its twin, side by side.

Which message of the one is which of the other is known here, and so is what must be the same on
both sides: the channel with its transaction, what is on its way to the queues, and each queue, as
far as its messages are the channel's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.machines.publishing import PublishingChannel
from ackproof.impl.oracle.twin import Deviation, Twin
from ackproof.spec.lang import Option
from ackproof.spec.lang.process import hints_of, split_marks
from ackproof.spec.lang.values import CONST, GHOST
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Level, Msg, Replica

__all__ = ["Pair"]

#: How far a message is that the disk was given.
_GIVEN = (Level.WRITTEN, Level.SYNCED)


class Pair:
    """A channel of the broker, its twin, and which message of the one is which of the other."""

    def __init__(self, channel: PublishingChannel) -> None:
        self.channel = channel
        self.twin = Twin(transactional=channel.in_transaction())
        self.queues: dict[Replica, HostedQueue] = {}
        self._numbers: dict[Msg, Msg] = {}
        self._ids: dict[Msg, Msg] = {}

    def join(self, queues: Iterable[HostedQueue]) -> None:
        """Queues are published to, perhaps for the first time."""
        for queue in queues:
            if queue.key not in self.queues:
                self.queues[queue.key] = queue
                durable = queue.machine.durable
                self.twin.join(queue.key, durable=durable, status=queue.machine.status)

    def name(self, msg: Msg, number: Msg) -> None:
        """A message of the broker has this number on the other side."""
        self._numbers[msg] = number
        self._ids[number] = msg

    def number(self, msg: Option[Msg]) -> Option[Msg]:
        """Return the number of a message; None if another channel has published it."""
        return None if msg is None else self._numbers.get(msg)

    def process(self, queue: HostedQueue) -> QueueProcess:
        """Return what stands for a queue on the other side."""
        return self.twin.system.replicas[queue.key]

    def take(self, action: str, *args: Any, full: Replica | None = None) -> None:
        """Take a step, after those that the disk has caused since the last one."""
        self._write()
        self.twin.take(action, *args, full=full)

    def sync(self, queue: HostedQueue) -> None:
        """Take the step `sync` for each message that the disk has by now (C2.4)."""
        self._write()
        found = queue.machine.store.level
        for number, level in sorted(self.process(queue).store.level.items()):
            if level != Level.SYNCED and found[self._ids[number]] == Level.SYNCED:
                self.twin.take("sync", number, queue.key)

    def _write(self) -> None:
        """Take the steps `write` that the journal has caused since (C3)."""
        for key, queue in self.queues.items():
            found = queue.machine.store.level
            for number, level in sorted(self.process(queue).store.level.items()):
                if level == Level.BUFFERED and found[self._ids[number]] in _GIVEN:
                    self.twin.take("write", number, key)

    def mine(self, messages: Iterable[Msg]) -> set[Msg]:
        """Return those messages that this channel has published, by their numbers."""
        return {self._numbers[m] for m in messages if m in self._numbers}

    def compare(self) -> None:
        """Look whether both sides hold the same.

        Raises:
            Deviation: they do not.
        """
        self._write()
        system = self.twin.system
        self._same("channel", _variables(system.channel), _variables(self.channel.machine))
        ours = _variables(self.channel.transaction)
        self._same("transaction", _variables(system.transaction), ours)
        for key, queue in self.queues.items():
            sent = self.mine(self.channel.network.publishes[key])
            self._same(f"on the way to {key}", system.network.publishes[key], sent)
            down = self.channel.network.downs[key]
            self._same(f"the end of {key}", system.network.downs[key], down)
            machine, twin = queue.machine, system.replicas[key]
            self._same(f"status of {key}", twin.status, machine.status)
            for name in ("ready", "pending", "awaiting", "outbox", "refused"):
                mine = self.mine(getattr(machine, name))
                self._same(f"{name} of {key}", getattr(twin, name), mine)
            self._same(f"store of {key}", dict(twin.store.level), self._levels(queue))

    def _levels(self, queue: HostedQueue) -> dict[Msg, Level]:
        levels = queue.machine.store.level.items()
        return {self._numbers[m]: level for m, level in levels if m in self._numbers}

    def _same(self, what: str, specified: object, found: object) -> None:
        if specified != found:
            raise Deviation(
                f"{what}: the specification has {specified}, the broker has {found}; "
                f"the steps were {self.twin.story()}"
            )


def _variables(process: Any) -> dict[str, Any]:
    """Return the variables of a machine that behaviour depends on."""
    return {
        name: getattr(process, name)
        for name, hint in hints_of(process.__class__).items()
        if not split_marks(hint)[1] & {GHOST, CONST}
    }
