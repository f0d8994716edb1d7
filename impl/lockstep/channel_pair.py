"""A channel of the broker and its shadow, side by side.

Which message of the one is which of the other is known here, and so is what must be the same on
both sides: the channel with its transaction, what is on its way to the queues, and each queue, as
far as its messages are the channel's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ackproof.impl.lockstep.shadow import Deviation, Shadow
from ackproof.impl.lockstep.shadow_system import CHANNEL, Left
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, MirrorMembership
from ackproof.impl.wire.content import Message
from ackproof.lang import Option
from ackproof.lang.process import hints_of, split_marks
from ackproof.lang.values import CONST, GHOST, KEY
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Born, Level, Msg, Replica, Status

__all__ = ["Pair"]

#: How far a message is that the disk was given.
_GIVEN = (Level.WRITTEN, Level.SYNCED)


class Pair:
    """A channel of the broker, its shadow, and which message of the one is which of the other."""

    def __init__(self, channel: PublishingChannel) -> None:
        self.channel = channel
        self.shadow = Shadow(transactional=channel.in_transaction())
        self.queues: dict[Replica, HostedQueue] = {}
        self._numbers: dict[Msg, Msg] = {}
        self._ids: dict[Msg, Msg] = {}

    def join(self, queues: Iterable[HostedQueue]) -> None:
        """Queues are published to, perhaps for the first time."""
        for queue in queues:
            if queue.key in self.queues:
                continue
            membership = queue.membership
            for process in [queue] if membership is None else membership.listed():
                self.queues[process.key] = process
                self.shadow.join(process.key, process.machine)
            if membership is not None:
                for key in sorted(membership.keys - self.queues.keys()):
                    self.shadow.add_dead(key, queue.machine.of)
                self._tell_who_lacks(membership)

    def enlist(self, mirror: HostedMirror, membership: MirrorMembership) -> None:
        """A mirror has joined a queue that is known."""
        self.queues[mirror.key] = mirror
        self.shadow.join(mirror.key, mirror.machine, late=True)
        if mirror.machine.born is Born.LATER:
            self.take("join", mirror.key, membership.leader.key)
            self.take("enlist", mirror.key)
        self._tell_who_lacks(membership)

    def promote(self, mirror: HostedMirror, membership: MirrorMembership) -> None:
        """A mirror leads from now on."""
        self.take("promote", mirror.key)
        self._tell_who_lacks(membership)

    def _tell_who_lacks(self, membership: MirrorMembership) -> None:
        """A mirror may lack messages of other channels only."""
        lacking = {mirror.key for mirror in membership.unsynced} - self.shadow.system.unsynced
        if lacking:
            self.take("lacks", lacking)

    def rank(self, number: Msg, message: Message, queues: Iterable[HostedQueue]) -> None:
        """A message has its place in the queues that it goes to."""
        for queue in queues:
            if queue.priorities is not None:
                self.shadow.rank(number, queue.machine.of, queue.priorities.rank(number, message))

    def name(self, msg: Msg, number: Msg) -> None:
        """A message of the broker has this number on the other side."""
        self._numbers[msg] = number
        self._ids[number] = msg

    def number(self, msg: Option[Msg]) -> Option[Msg]:
        """Return the number of a message; None if another channel has published it."""
        return None if msg is None else self._numbers.get(msg)

    def process(self, queue: HostedQueue) -> QueueProcess:
        """Return what stands for a queue on the other side."""
        return self.shadow.system.replicas[queue.key]

    def remembers(self, mirror: HostedMirror) -> bool:
        """Tell whether a mirror remembers something that it forgets with the channel (D4.16)."""
        with self.shadow.bound():
            return self.process(mirror).remembers(CHANNEL)

    def take(
        self,
        action: str,
        *args: Any,
        full: Replica | None = None,
        left: Mapping[Replica, Left] | None = None,
    ) -> None:
        """Take a step, after those that the disk and the records have caused since the last one."""
        self._write()
        self._trim()
        self.shadow.take(action, *args, full=full, left=left)

    def sync(self, queue: HostedQueue) -> None:
        """Take the step `sync` for each message that the disk has by now (C2.4)."""
        self._write()
        found = queue.machine.store.level
        for number, level in sorted(self.process(queue).store.level.items()):
            if level != Level.SYNCED and found[self._ids[number]] == Level.SYNCED:
                self.shadow.take("sync", number, queue.key)

    def _write(self) -> None:
        """Take the steps `write` that the journal has caused since (C3)."""
        for key, queue in self.queues.items():
            found = queue.machine.store.level
            for number, level in sorted(self.process(queue).store.level.items()):
                if level == Level.BUFFERED and found[self._ids[number]] in _GIVEN:
                    self.shadow.take("write", number, key)

    def _trim(self) -> None:
        """Take the steps `trim` for the dead that records have lost since (D5.2)."""
        system = self.shadow.system
        for key, queue in self.queues.items():
            dead = system.replicas[key].status is Status.DOWN
            if queue.membership is None or not dead or not system.listed(key):
                continue
            leads = any(
                system.replicas[k].leads() for k in queue.membership.keys & self.queues.keys()
            )
            if leads and queue not in queue.membership.listed():
                self.shadow.take("trim", key)

    def mine(self, messages: Iterable[Msg]) -> set[Msg]:
        """Return those messages that this channel has published, by their numbers."""
        return {self._numbers[m] for m in messages if m in self._numbers}

    def left(self, outcome: Mapping[Replica, Left] | None) -> Mapping[Replica, Left] | None:
        """Return what is left on its way to mirrors, as far as it is the channel's."""
        if outcome is None:
            return None
        return {
            key: Left(self.mine(one.coming), self.mine(one.removals))
            for key, one in outcome.items()
        }

    def is_over(self) -> bool:
        """Tell whether the channel has closed, and no queue would still answer it."""
        system = self.shadow.system
        if self.channel.machine.open or any(system.casts[CHANNEL].publishes.values()):
            return False
        queues = system.replicas.values()
        return not any(queue.owes() or queue.known() for queue in queues)

    def compare(self) -> None:
        """Look whether both sides hold the same.

        Raises:
            Deviation: they do not.
        """
        self._write()
        self._trim()
        system = self.shadow.system
        machine, transaction = self.channel.machine, self.channel.transaction
        self._same("channel", _variables(system.channels[CHANNEL]), _variables(machine))
        ours = _variables(transaction)
        self._same("transaction", _variables(system.transactions[CHANNEL]), ours)
        for key, queue in self.queues.items():
            self._compare_ways(key, queue)
            self._compare_process(key, queue)
            if isinstance(queue, HostedMirror) and system.listed(key):
                self._compare_mirror(key, queue)

    def _compare_ways(self, key: Replica, queue: HostedQueue) -> None:
        casts = self.shadow.system.casts[CHANNEL]
        sent = self.mine(self.channel.casts.publishes[key])
        self._same(f"on the way to {key}", casts.publishes[key], sent)
        self._same(f"the end of {key}", casts.downs[key], self.channel.casts.downs[key])

    def _compare_process(self, key: Replica, queue: HostedQueue) -> None:
        machine, shadow = queue.machine, self.shadow.system.replicas[key]
        for name in ("ready", "pending", "awaiting", "outbox", "refused"):
            mine = self.mine(getattr(machine, name))
            self._same(f"{name} of {key}", getattr(shadow, name), mine)
        if self.shadow.system.listed(key):  # or it is dead, and nobody asks for its store
            self._same(f"status of {key}", shadow.status, machine.status)
            self._same(f"store of {key}", dict(shadow.store.level), self._levels(queue))

    def _compare_mirror(self, key: Replica, mirror: HostedMirror) -> None:
        """Compare what a mirror was told, what it made of it, and whether it has everything."""
        membership, system = mirror.membership, self.shadow.system
        assert membership is not None
        for name in ("copies", "discards", "refusals", "removals"):
            places = getattr(membership.multicast, name)[key]
            mine = self.mine(told.msg for told in mirror.told if told.place in places)
            self._same(f"{name} told to {key}", getattr(system.multicast, name)[key], mine)
        machine, shadow = mirror.machine, system.replicas[key]
        self._same(f"role of {key}", shadow.promoted, machine.promoted)
        self._same(f"direct of {key}", shadow.direct, self.mine(machine.direct))
        seen = {self._numbers[m]: seen for m, seen in machine.seen.items() if m in self._numbers}
        self._same(f"seen of {key}", dict(shadow.seen), seen)
        if machine.mirrors():
            self._same(
                f"{key} lacks something", key in system.unsynced, mirror in membership.unsynced
            )

    def _levels(self, queue: HostedQueue) -> dict[Msg, Level]:
        levels = queue.machine.store.level.items()
        return {self._numbers[m]: level for m, level in levels if m in self._numbers}

    def _same(self, what: str, specified: object, found: object) -> None:
        if specified != found:
            raise Deviation(
                f"{what}: the specification has {specified}, the broker has {found}; "
                f"the steps were {self.shadow.story()}"
            )


def _variables(process: Any) -> dict[str, Any]:
    """Return the variables of a machine that behaviour depends on."""
    return {
        name: getattr(process, name)
        for name, hint in hints_of(process.__class__).items()
        if not split_marks(hint)[1] & {GHOST, CONST, KEY}
    }
