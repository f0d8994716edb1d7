"""The processes of a mirrored queue, and what is on its way between them.

A mirrored queue has a master and mirrors, each with a store of its own (D1).  Each of them is a
`HostedQueue`, under a number of its own that is never used again: a process that has died and is
started once more is another process, and begins with nothing (C5.4, D7.2).  What they have in
common is the queue's *record*: who leads, who follows, and in which order they came (D1.1).

The specification has one channel, so that the number of a message says in which order it was
published, reached the master, and was told to the mirrors.  Here are many channels, so there are
three orders, and two machines are given what they mean by the least:

* What a mirror has heard from channels is kept in the order of each, and the process is given that
  of the one that a message is from: "the first" is the first *of the same channel* (D3, D4.19).
* What is multicast is named by its place among all that was told, and arrives in that order
  (D1.3, D1.4); what it is about, `told` says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.machines.lengths import LengthLimit
from ackproof.impl.machines.publishing import Cast, PublishingChannel
from ackproof.spec.lang import OrderedSet
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.network import Network
from ackproof.spec.sorts import Born, Msg, Reason, Replica, Seen

__all__ = ["Heard", "HostedMirror", "Record"]


class Heard(NamedTuple):
    """What a mirror knows of a message: who sent it, and what it is."""

    channel: PublishingChannel
    cast: Cast


class Told(NamedTuple):
    """What a master tells: at which place, of which message, and if that arrives, what it is."""

    place: Msg
    msg: Msg
    heard: Heard | None


class HostedMirror(HostedQueue):
    """A process of a queue that began as a mirror.

    Args:
        leader: the process that it mirrors, for everything that a queue is declared with.
        number: of this process.
        replica: which store it uses, from 0.
        late: it joins a queue that has been there.

    Attributes:
        heard: what it knows from one side only, and waits for the other.
        told: what is on its way from its master, in order.
        direct: the messages of each channel that came from that only.
        leaving: channels that have closed, and may still have to be forgotten.
        slow: it takes no step.
    """

    def __init__(self, leader: HostedQueue, number: int, replica: int, *, late: bool) -> None:
        super().__init__(
            leader.name,
            number,
            durable=leader.durable,
            vhost=leader.vhost,
            auto_delete=leader.auto_delete,
            arguments=leader.arguments,
        )
        self.machine = QueueProcess(
            of=leader.machine.of,
            durable=leader.machine.durable,
            marking=True,
            born=Born.LATER if late else Born.MIRROR,
        )
        self.machine.ready = OrderedSet()
        self.limit = LengthLimit(self.machine, self.arguments)
        self.replica = replica
        self.heard: dict[Msg, Heard] = {}
        self.told: deque[Told] = deque()
        self.direct: dict[PublishingChannel, OrderedSet[Msg]] = {}
        self.leaving: dict[PublishingChannel, None] = {}

    def of_sender(self, channel: PublishingChannel) -> set[Msg]:
        """Return the messages of a channel that are known from one side only."""
        return {m for m, heard in self.heard.items() if heard.channel is channel}

    def tidy(self, msgs: Iterable[Msg]) -> None:
        """Keep what was heard of messages as long as the machine remembers them, and no longer."""
        machine = self.machine
        for msg in msgs:
            heard = self.heard.get(msg)
            if heard is None:
                continue
            direct = self.direct.setdefault(heard.channel, OrderedSet())
            (direct.add if msg in machine.direct else direct.discard)(msg)
            if not direct:
                del self.direct[heard.channel]
            if msg not in machine.direct and machine.seen[msg] in (Seen.ABSENT, Seen.CALLED):
                del self.heard[msg]


@dataclass(eq=False)
class Record:
    """Who the processes of a queue are (D1.1).

    Attributes:
        leader: the master, or the last one that was.
        mirrors: those that run, the oldest first.
        unsynced: mirrors that have not all that the master has (D7.2).
        fallen: mirrors that died when no master was there to take them out of the record.
        keys: all processes that the queue has had, by what the machines call them.
        network: what masters have told their mirrors.
        places: how many things were told so far.
    """

    leader: HostedQueue
    mirrors: list[HostedMirror] = field(default_factory=list)
    unsynced: set[HostedMirror] = field(default_factory=set)
    fallen: list[HostedMirror] = field(default_factory=list)
    keys: set[Replica] = field(default_factory=set)
    network: Network = field(default_factory=Network)
    places: int = 0

    def __iter__(self) -> Iterator[HostedQueue]:
        return iter((self.leader, *self.mirrors))

    def listed(self) -> list[HostedQueue]:
        """Return the processes that channels call: also dead ones that nobody took out (D5.2)."""
        return [self.leader, *self.mirrors, *self.fallen]

    def enter(self, mirror: HostedMirror) -> None:
        """A mirror follows from now on, and is called by channels (D1.2)."""
        mirror.record = self
        self.mirrors.append(mirror)
        self.keys.add(mirror.key)

    def strike(self, mirror: HostedMirror) -> None:
        """A mirror follows no more; a master that runs takes it out (D5.2)."""
        self.mirrors.remove(mirror)
        self.unsynced.discard(mirror)
        if not self.leader.running:
            self.fallen.append(mirror)

    def lead(self, mirror: HostedMirror) -> HostedQueue:
        """A mirror is the master from now on; return who was (D5.2)."""
        former, self.leader = self.leader, mirror
        self.strike(mirror)
        self.fallen.clear()
        return former

    def tell(
        self,
        msg: Msg,
        heard: Heard | None,
        way: Mapping[Replica, set[Msg]],
        mirrors: Iterable[HostedMirror],
    ) -> None:
        """Something is on its way to mirrors, in one way of the network (D2.1)."""
        self.places += 1
        place = cast(Msg, self.places)
        for mirror in mirrors:
            mirror.told.append(Told(place, msg, heard))
            way[mirror.key].add(place)

    def deafen(self, mirror: HostedMirror) -> None:
        """A mirror has ended, and what it was told and has not heard is lost with it (O1)."""
        mirror.told.clear()
        self.network.end(mirror.key, Reason.BENIGN)

    def heir(self) -> HostedMirror | None:
        """Return the mirror that is promoted next: the oldest synchronised one (D5.3)."""
        return next((m for m in self.mirrors if m not in self.unsynced), None)

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
                "synchronised": one not in self.unsynced,
                "slow": one.slow,
                "held": len(one.machine.holds()),
            }
            for one in self
        ]

    def siblings(self, mirror: HostedMirror) -> set[Replica]:
        """Return the other mirrors, by what the machines call them."""
        return {one.key for one in self.mirrors if one is not mirror}

    def equalise(self, mirrors: list[HostedMirror]) -> None:
        """The master is dead to these mirrors, and what it told none of them is lost (D1.3)."""
        self.network.equalise({mirror.key for mirror in mirrors})
        for mirror in mirrors:
            left = self.network.coming(mirror.key) | self.network.removals[mirror.key]
            mirror.told = deque(told for told in mirror.told if told.place in left)

    def expected(self, mirror: HostedMirror) -> set[Msg]:
        """Return what a mirror will have when all that it was told has arrived (D1.3)."""
        copies, removals = self.network.copies[mirror.key], self.network.removals[mirror.key]
        has = mirror.machine.ready | {told.msg for told in mirror.told if told.place in copies}
        return has - {told.msg for told in mirror.told if told.place in removals}
