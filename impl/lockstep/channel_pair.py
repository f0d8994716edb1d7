"""A channel of the broker and its shadow, side by side.

Which message of the one is which of the other is known here, and so is what must be the same on
both sides: the channel with its transaction, what is on its way to the queues, and each queue, as
far as its messages are the channel's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from ackproof.impl.lockstep.shadow import Deviation, Shadow
from ackproof.impl.lockstep.shadow_system import CHANNEL, Left
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedMirror, HostedQueue, MirrorMembership
from ackproof.lang import Option
from ackproof.lang.process import hints_of, split_marks
from ackproof.lang.sorts import NUMBER_BITS
from ackproof.lang.values import CONST, GHOST, KEY
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Born, Level, Msg, Replica, Status

__all__ = ["Pair"]

V = TypeVar("V")

#: How far a message is that the disk was given.
_GIVEN = (Level.WRITTEN, Level.SYNCED)


class Pair:
    """A channel of the broker, its shadow, and which message of the one is which of the other."""

    def __init__(self, channel: PublishingChannel) -> None:
        self.channel = channel
        self.shadow = Shadow(transactional=channel.in_transaction())
        self.queues: dict[Replica, HostedQueue] = {}

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
        lacking = {mirror.key for mirror in membership.mirrors if mirror.lacks}
        lacking -= self.shadow.system.unsynced
        if lacking:
            self.take("lacks", lacking)

    def rank(self, msg: Msg, queues: Iterable[HostedQueue]) -> None:
        """A message has its rank in the queues that it goes to."""
        for queue in queues:
            if queue.order.most:
                number = cast(Msg, self.channel.tag(msg))
                self.shadow.rank(number, queue.machine.of, queue.order.rank(msg))

    def number(self, msg: Option[Msg]) -> Option[Msg]:
        """Return the number of a message; None if it is not one that the channel counts."""
        if msg is None or Msg.owner(msg) != self.channel.id:
            return None
        number = self.channel.tag(msg)
        return cast(Msg, number) if number > 0 else None

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
            if level != Level.SYNCED and found[self._id(number)] == Level.SYNCED:
                self.shadow.take("sync", number, queue.key)

    def _write(self) -> None:
        """Take the steps `write` that the journal has caused since (C3)."""
        for key, queue in self.queues.items():
            found = queue.machine.store.level
            for number, level in sorted(self.process(queue).store.level.items()):
                if level == Level.BUFFERED and found[self._id(number)] in _GIVEN:
                    self.shadow.take("write", number, key)

    def _id(self, number: Msg) -> Msg:
        """Return the message of a number."""
        return cast(Msg, cast(int, self.channel.first) + cast(int, number) - 1)

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
        return {number for m in messages if (number := self.number(m)) is not None}

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
        for what, specified, found in (
            ("channel", system.channels[CHANNEL], machine),
            ("transaction", system.transactions[CHANNEL], transaction),
        ):
            self._same(what, _variables(specified), self._numbered(_variables(found)))
        for key, queue in self.queues.items():
            self._compare_ways(key, queue)
            self._compare_process(key, queue)
            if isinstance(queue, HostedMirror) and system.listed(key):
                self._compare_mirror(key, queue)

    def _numbered(self, found: Any) -> Any:
        """Return what the broker has, with the numbers of messages in their place."""
        match found:
            case set():
                return {self._numbered(one) for one in found}
            case dict():
                return {self._numbered(key): self._numbered(one) for key, one in found.items()}
            case int() if found >> NUMBER_BITS:
                return self.channel.tag(cast(Msg, found))
        return found

    def _compare_ways(self, key: Replica, queue: HostedQueue) -> None:
        casts = self.shadow.system.casts[CHANNEL]
        sent = self.mine(self.channel.casts.publishes[key])
        self._same(f"on the way to queue {key}", casts.publishes[key], sent)
        self._same(f"the end of queue {key}", casts.downs[key], self.channel.casts.downs[key])

    def _compare_process(self, key: Replica, queue: HostedQueue) -> None:
        machine, shadow = queue.machine, self.shadow.system.replicas[key]
        for name in ("ready", "pending", "awaiting", "outbox", "refused"):
            mine = self.mine(getattr(machine, name))
            self._same(f"{name} of queue {key}", getattr(shadow, name), mine)
        if self.shadow.system.listed(key):  # or it is dead, and nobody asks for its store
            self._same(f"status of queue {key}", shadow.status, machine.status)
            levels = self._mine_of(machine.store.level)
            self._same(f"store of queue {key}", dict(shadow.store.level), levels)

    def _compare_mirror(self, key: Replica, mirror: HostedMirror) -> None:
        """Compare what a mirror was told, what it made of it, and whether it has everything."""
        membership, system = mirror.membership, self.shadow.system
        assert membership is not None
        for name in ("copies", "discards", "refusals", "removals"):
            mine = self.mine(getattr(mirror.system.multicast, name)[key])
            self._same(f"{name} told to queue {key}", getattr(system.multicast, name)[key], mine)
        machine, shadow = mirror.machine, system.replicas[key]
        self._same(f"role of queue {key}", shadow.promoted, machine.promoted)
        self._same(f"direct of queue {key}", shadow.direct, self.mine(machine.direct))
        self._same(f"seen of queue {key}", dict(shadow.seen), self._mine_of(machine.seen))
        if machine.mirrors():
            self._same(f"queue {key} lacks something", key in system.unsynced, mirror.lacks)

    def _mine_of(self, found: Mapping[Msg, V]) -> dict[Msg, V]:
        """Return what is known of those messages that the channel has published."""
        numbers = ((self.number(msg), value) for msg, value in found.items())
        return {number: value for number, value in numbers if number is not None}

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
