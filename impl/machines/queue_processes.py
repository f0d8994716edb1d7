"""A queue as the broker holds it: its processes, and what the spec's machines do not need to know.

`QueueProcess` knows which messages are ready, which are with consumers, which confirms are owed,
and how far each message has come on its way to the disk.  It is one of the processes of the
broker's system (`hosted_system`).  A queue without mirrors has one process, and one name does for
both.

Messages carry their contents (`publication`).  Those that the disk has are in memory as well, and
are read from there when the broker starts.  `buffered` are the messages that the disk has not been
given; that is the memory that dies with the queue's process.

`expiries` says when the time of a message is over, in seconds since 1970, if it does not live for
ever.  `borrowers` are the channels that may hold something unacknowledged of this queue.

After every step of the machine that makes messages disappear, `forget` drops what is kept of those
of which the machine knows no more.  That the machine is asked, each time, is the point.

**Mirrors.**  A mirrored queue has a master and mirrors, each with a store of its own (D1).  Each of
them is a `HostedQueue`, under a number of its own that is never used again: a process that has died
and is started once more is another process, and begins with nothing (C5.4, D7.2).  What they have
in common is the queue's *membership*: who leads, who follows, and in which order they came (D1.1).

What a master tells its mirrors is in the system.  A mirror hears in the order in which it was told
what became of messages (D1.3, D1.4), and that one has left as soon as it can.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from ackproof.impl.machines.consuming_machines import ConsumingMachines
from ackproof.impl.machines.hosted_system import HostedSystem
from ackproof.impl.machines.length_limit import LengthLimit
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.publishing_machines import PublishingMachines
from ackproof.impl.machines.queue_consumers import QueueConsumers
from ackproof.impl.machines.queue_order import PlacedSet, QueueOrder
from ackproof.impl.topology.queue_types import type_of
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.tables import Table
from ackproof.lang import NotEnabled
from ackproof.model.native.families import growing
from ackproof.spec.sorts import Born, Level, Msg, Replica, Status

__all__ = ["HostedMirror", "HostedQueue", "MirrorMembership", "Placed", "processes_of"]


class Placed(NamedTuple):
    """A message that stands in a queue: at which place, and when it expires, if it does."""

    msg: Msg
    place: int
    expires: float | None


def processes_of(system: HostedSystem) -> dict[Replica, HostedQueue]:
    """Return the processes of queues that a system has, by what its machines call them."""
    found: dict[Replica, HostedQueue] = vars(system).setdefault("hosted", {})
    return found


class HostedQueue:
    """One queue of the broker.

    Args:
        system: to which its process belongs.
        process: the constants of that; None for the master of a queue that is new.

    Attributes:
        vhost: name of the virtual host that it is in.
        number: names the queue on the disk; never used again.
        durable: as it was declared; whether the machine stores messages is the machine's constant.
        key: names the queue's process to the spec's machines.
        owner: the connection it is exclusive to, if it is.
        arguments: as they were given when it was declared.
        watchers: the channels that will hear of its death, in the order in which they came.
        landed: messages that the disk has, as the queue has not yet noticed.
        consumers: those that are started, and whose turn it is.
        limit: how long it may become.
        order: where each of its messages stands.
        lease: seconds that it may be unused; None for ever.
        last_used: when somebody used it last, in seconds since 1970.
        dead_letter_exchange: where it publishes what it gives up; None to drop that.
        replica: which of the node's stores it uses, from 0.
        membership: the other processes of the same queue; None if it is not mirrored.
        recorded: if it is dead, the disk knows who leads instead.
        slow: it takes no step of a mirror.
        given_up: the node that clients are connected to has given up that of the process.
        rejected: what clients have rejected for good, and a partition keeps it from hearing.
        deserted: a consumer has left, and a partition keeps it from hearing, or from being deleted.
    """

    def __init__(
        self,
        system: HostedSystem,
        name: str,
        number: int,
        *,
        durable: bool,
        vhost: str = "/",
        auto_delete: bool = False,
        owner: object | None = None,
        arguments: Table | None = None,
        process: Mapping[str, Any] | None = None,
    ) -> None:
        self.system = system
        self.name = name
        self.vhost = vhost
        self.number = number
        self.key = cast(Replica, number)
        self.durable = durable
        self.auto_delete = auto_delete
        self.owner = owner
        self.arguments = arguments or {}
        # An exclusive queue goes with its connection, so nothing in it outlives the broker.
        constants = process or {"of": number, "durable": durable and owner is None}
        constants = {**(type_of(self.arguments).constants or {}), **constants}
        self.machine = growing(system.replicas).add(self.key, **constants)
        processes_of(system)[self.key] = self
        self.order = QueueOrder()
        self.order.most = self.arguments.get("x-max-priority", 0)
        self.machine.order = self.order
        self.machine.ready = PlacedSet(self.order)
        self.limit = LengthLimit(self.machine, self.order, self.arguments)
        self.dead_letter_exchange: str | None = self.arguments.get("x-dead-letter-exchange")
        self._ttl = _seconds(self.arguments.get("x-message-ttl"))
        self.lease = _seconds(self.arguments.get("x-expires"))
        self.last_used = 0.0
        self.expiries: dict[Msg, float] = {}
        self.buffered: dict[Msg, None] = {}
        single = self.arguments.get("x-single-active-consumer") is True
        self.consumers: QueueConsumers[HostedQueue] = QueueConsumers(single=single)
        self.borrowers: dict[ConsumingMachines[HostedQueue], None] = {}
        self.rejected: set[Msg] = set()
        self.deserted = False
        self.watchers: dict[PublishingMachines[HostedQueue], None] = {}
        self.landed: list[Msg] = []
        self.replica = 0
        self.membership: MirrorMembership | None = None
        self.recorded = True
        self.slow = False
        self.given_up = False

    def __str__(self) -> str:
        return f"queue '{self.name}' in vhost '{self.vhost}'"

    def over(self) -> bool:
        """Tell whether it is deleted, and all that it had to say has been heard."""
        machine, said = self.machine, self.machine.outbox or self.machine.refused
        return machine.status is Status.DELETED and not self.watchers and not said

    def awaited(self) -> bool:
        """Tell whether a channel, or a consumer, has still to hear that it has ended (A9, F3.3)."""
        return bool(self.watchers or self.consumers)

    def leave(self) -> None:
        """The queue is deleted, and nobody asks for its processes any more."""
        keys = {self.key} if self.membership is None else self.membership.keys
        for key in keys:
            growing(self.system.replicas).remove(key)
            processes_of(self.system).pop(key, None)
        for known in (self.system.unsynced, self.system.enlisted, self.system.trimmed):
            known -= keys
        for key in keys:
            growing(self.system.multicast.order).remove(key)
            growing(self.system.mailboxes).remove(key)
            self.system.multicast.missed[key].clear()

    @property
    def lacks(self) -> bool:
        """Tell whether it has not all that its master has (D7.2)."""
        return self.key in self.system.unsynced

    @property
    def running(self) -> bool:
        """Tell whether the queue has its process."""
        return self.machine.status == Status.RUNNING

    def watch_for(self, channel: PublishingMachines[HostedQueue]) -> None:
        """A channel will hear of the end of this process (A5.7)."""
        if self not in channel.watching:
            channel.watching[self] = None
            self.watchers[channel] = None
            channel.casts.monitor(self.key)

    def unwatch_for(self, channel: PublishingMachines[HostedQueue]) -> None:
        """A channel will not hear of this process any more."""
        channel.unwatch(self)
        self.watchers.pop(channel, None)
        channel.casts.demonitor(self.key)

    def lend_to(self, channel: ConsumingMachines[HostedQueue]) -> None:
        """Something of this queue is unacknowledged on a channel."""
        self.borrowers[channel] = None
        channel.borrow(self)

    def lifetime(self, message: Message) -> float | None:
        """Return how many seconds a message may be here; None for ever (B4.1)."""
        own = _seconds(message.expiration)
        if own is None or self._ttl is None:
            return self._ttl if own is None else own
        return min(own, self._ttl)

    def keep(self, msg: Msg) -> None:
        """The machine has just accepted a message: the disk has to be given it, or not."""
        if self.machine.store.level[msg] == Level.BUFFERED:
            self.buffered[msg] = None

    def ready(self) -> list[Msg]:
        """Return the messages that are ready, in their order."""
        return cast(PlacedSet, self.machine.ready).sorted()

    def has(self, msg: Msg) -> bool:
        """Tell whether a message is in the queue, or with a consumer of it."""
        return msg in self.machine.ready or msg in self.machine.pending

    def was_given(self, msg: Msg) -> bool:
        """Tell whether the disk was given a message that is here."""
        return msg not in self.buffered and content_of(msg).persistent and self.machine.durable

    def part_with(self, msg: Msg) -> bool:
        """A message has left; tell whether the disk was given it.

        The machine would remember for ever that the message was handed out; nobody asks any more.
        """
        self.machine.delivered.discard(msg)
        self.expiries.pop(msg, None)
        given = self.was_given(msg)
        self.buffered.pop(msg, None)
        return given

    def forget(self) -> None:
        """Drop what the machine has forgotten: all that it does not hold, or will recover."""
        level = self.machine.store.level
        present = self.machine.holds() | set(level)
        self.buffered = {m: None for m in self.buffered if level[m] == Level.BUFFERED}
        self.expiries = {m: due for m, due in self.expiries.items() if m in present}

    def forget_clients(self) -> None:
        """The process has ended, or is given up: what it lent is nobody's, none consumes (F3.3)."""
        for channel in self.borrowers:
            channel.lenders.pop(self.key, None)
        self.borrowers.clear()
        self.rejected.clear()
        self.forget_consumers()

    def forget_consumers(self) -> None:
        """Consumers were told that it is gone; across a partition they are not, for a while."""
        for consumer in list(self.consumers):
            if consumer.machine.at is None:
                self.consumers.remove(consumer)
                consumer.channel.forget(consumer)

    def let_go(self) -> None:
        """It never comes back, and nobody asks for what its files held (C5.4)."""
        self.machine.store.level.clear()
        self.order.places.clear()
        self.landed.clear()
        self.forget()

    def hand_over(self) -> list[Placed]:
        """Give the buffer to the disk: from now on it survives this queue's process (C3).

        Returns:
            The messages, oldest first.
        """
        given = list(self.buffered)
        for msg in given:
            self.system.write(msg, self.key)
        self.buffered.clear()
        places, expiries = self.order.places, self.expiries
        return [Placed(msg, places[msg], expiries.get(msg)) for msg in given]

    def recovered(self) -> None:
        """It has started again from what the files hold (C5.1)."""
        self.machine.ready = PlacedSet(self.order, self.machine.ready)
        self.limit.recount()

    def restore(self, found: Iterable[Placed]) -> None:
        """Become the queue that was found on the disk: it is down, and may start again (C5.1)."""
        for msg, _, expires in found:
            self.machine.store.level[msg] = Level.SYNCED
            if expires is not None:
                self.expiries[msg] = expires
        self.machine.status = Status.DOWN
        self.order.take({msg: place for msg, place, _ in found})


class HostedMirror(HostedQueue):
    """A process of a queue that began as a mirror.

    Args:
        leader: the process that it mirrors, for everything that a queue is declared with.
        number: of this process.
        replica: which store it uses, from 0.
        late: it joins a queue that has been there.

    Attributes:
        departing: messages of which its master has told it that they have left, in order.
        leaving: channels that have closed, and may still have to be forgotten.
        slow: it takes no step.
    """

    def __init__(self, leader: HostedQueue, number: int, replica: int, *, late: bool) -> None:
        super().__init__(
            leader.system,
            leader.name,
            number,
            durable=leader.durable,
            vhost=leader.vhost,
            auto_delete=leader.auto_delete,
            arguments=leader.arguments,
            process={
                "of": leader.machine.of,
                "durable": leader.durable,
                "born": Born.LATER if late else Born.MIRROR,
                "node": replica,
            },
        )
        self.replica = replica
        self.departing: deque[Msg] = deque()
        self.leaving: dict[PublishingMachines[HostedQueue], None] = {}

    def departed(self) -> Msg | None:
        """Return a message of which it can hear now that it has left (D4.15); None for none."""
        removals, copies = self.system.multicast.removals, self.system.multicast.copies
        while self.departing and self.departing[0] not in removals[self.key]:
            self.departing.popleft()  # one that was dropped as it arrived was noted twice
        first = self.departing[0] if self.departing else None
        return None if first in copies[self.key] else first

    def forget_lost(self) -> None:
        """What was on its way may be lost, with the master that told it (D1.3)."""
        left = self.system.multicast.removals[self.key]
        self.departing = deque(msg for msg in self.departing if msg in left)

    def move(self, msg: Msg, place: int) -> None:
        """A message that stood at a place has another one by now."""
        cast(PlacedSet, self.machine.ready).move(msg, place)

    def await_end(self, channel: PublishingMachines[HostedQueue]) -> None:
        """A channel is closed, and has to be forgotten when nothing more comes of it (D4.16)."""
        self.leaving[channel] = None
        channel.leaving[self] = None

    def end_of(self, channel: PublishingMachines[HostedQueue]) -> None:
        """A channel is forgotten."""
        self.leaving.pop(channel, None)
        channel.leaving.pop(self, None)


@dataclass(eq=False)
class MirrorMembership:
    """Who the processes of a queue are (D1.1).

    Attributes:
        leader: the master, or the last one that was.
        mirrors: those that run, the oldest first.
        dead: those that died when no master was there to take them out of the record.
        former: those that are in the record no more, and of whose end channels have still to hear.
        keys: all processes that the queue has had, by what the machines call them.
    """

    leader: HostedQueue
    mirrors: list[HostedMirror] = field(default_factory=list)
    dead: list[HostedQueue] = field(default_factory=list)
    former: list[HostedQueue] = field(default_factory=list)
    keys: set[Replica] = field(default_factory=set)

    def __iter__(self) -> Iterator[HostedQueue]:
        return iter((self.leader, *self.mirrors))

    def over(self) -> bool:
        """Tell whether the queue is deleted, and all that its processes had to say was heard.

        That is also that they have ended, which their consumers do not hear across a partition.
        """
        unheard = any(one.awaited() for one in (*self.former, *self.dead))
        return not unheard and all(process.over() for process in self)

    def listed(self) -> list[HostedQueue]:
        """Return the processes that channels call: also dead ones that nobody took out (D5.2)."""
        return [self.leader, *self.mirrors, *self.dead]

    def enter(self, mirror: HostedMirror) -> None:
        """A mirror follows from now on, and is called by channels (D1.2)."""
        mirror.membership = self
        self.mirrors.append(mirror)
        self.keys.add(mirror.key)

    def strike(self, mirror: HostedMirror) -> None:
        """A mirror follows no more; a master that runs takes it out (D5.2)."""
        self.mirrors.remove(mirror)
        self.dead.append(mirror)
        if self.leader.running:
            self.trim()

    def trim(self, *others: HostedQueue) -> None:
        """The dead, and others, are taken out of the record, if they can be (D5.2)."""
        dead, self.dead = [*self.dead, *others], []
        self.former = [one for one in self.former if one.awaited()]
        for one in dead:
            try:
                self.leader.system.trim(one.key)
            except NotEnabled:  # it is on the other side of a partition
                self.dead.append(one)
            else:
                self.former.append(one)
                one.let_go()

    def lead(self, mirror: HostedMirror) -> HostedQueue:
        """A mirror is the master from now on; return who was (D5.2)."""
        former, self.leader = self.leader, mirror
        self.mirrors.remove(mirror)
        self.trim(former)
        return former

    def deafen(self, mirror: HostedMirror) -> None:
        """A mirror has ended, and what it was told and has not heard is lost with it (O1)."""
        mirror.departing.clear()

    def successor(self) -> HostedMirror | None:
        """Return the mirror that is promoted next: the oldest synchronised one (D5.3)."""
        system = self.leader.system
        return next((mirror for mirror in self.mirrors if system.chosen(mirror.key)), None)

    def process(self, replica: int) -> HostedQueue | None:
        """Return the process that runs on a store."""
        return next((p for p in self if p.replica == replica and p.running), None)

    def describe(self) -> list[dict[str, Any]]:
        """Return what there is to know of each process, the master first, fit for JSON."""
        return [
            {
                "replica": one.replica,
                "leads": one is self.leader,
                "running": one.running,
                "synchronised": not one.lacks,
                "slow": one.slow,
                "held": len(one.machine.holds()),
            }
            for one in self
        ]


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
