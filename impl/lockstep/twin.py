"""A twin of the broker's system: the specification as it stands, with ghosts, and the same members.

The broker's system is a translation of the specification, in which some classes do the same by
other means, and of which only those members are there that the broker has made.  Its twin is
`Confirms` itself.  It gets the same members with the same constants, and takes the same actions
with the same arguments.  Its sorts are bound to what there is so far.

What the broker knows of a message besides, a twin is told: which priority it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from ackproof.impl.lockstep.ranked_arrivals import RankedArrivals
from ackproof.impl.machines.hosted_system import HostedSystem
from ackproof.impl.machines.publication import Publication, name_of, without_content
from ackproof.impl.machines.queue_order import QueueOrder
from ackproof.lang import Event
from ackproof.lang.process import constants_of, keys_of, observers_of
from ackproof.lang.sorts import NUMBER_BITS, bound_to
from ackproof.model.native.families import assemble, growing
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Node, Queue, Replica, Tag
from ackproof.spec.system import Confirms

__all__ = [
    "FAMILIES",
    "Change",
    "Ranks",
    "Taken",
    "Twin",
    "changes",
    "in_words",
    "plain",
    "ranks_of",
]

#: The families whose members the broker makes.
FAMILIES = ("channels", "transactions", "casts", "consuming", "subscriptions", "replicas")


#: How far below the highest priority messages are, by their queues.
Ranks = dict[tuple[Queue, Msg], int]


class Change(NamedTuple):
    """A constant that has a value by now: of a member of a family, or of the system itself."""

    family: str | None
    key: Any
    name: str | None  # None for a member that has no constants
    value: Any = None


class Taken(NamedTuple):
    """An action that was taken, a method of the system, and its arguments."""

    action: str
    args: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.action}({', '.join(map(in_words, self.args))})"


class Twin:
    """A system of the specification, with the events of its last action.

    Args:
        nodes: how many nodes there are.

    Attributes:
        system: the specification's.
        events: what it has said in its last action.
        messages: those that were published, and are still spoken of.
    """

    def __init__(self, nodes: int) -> None:
        self.events: list[Event] = []
        made = assemble(Confirms, {Arrivals: RankedArrivals}, self._emit, ghosts=True)
        self.system: Confirms = made
        self.messages: set[Msg] = set()
        self._ranks: dict[Queue, dict[Msg, int]] = {}
        self._nodes = tuple(range(nodes)) if nodes > 1 else ()
        self._observers = observers_of(made)

    def _emit(self, event: Event) -> None:
        self.events.append(event)
        for kind, observe in self._observers:
            if isinstance(event, kind):
                observe(event)

    def take(self, step: Taken) -> None:
        """Take an action.

        Raises:
            NotEnabled: it is not possible.
        """
        self.events.clear()
        with self.bound():
            getattr(self.system, step.action)(*step.args)

    def resemble(self, hosted: HostedSystem) -> None:
        """Become what the broker's system is at first: queues that were found on its disk."""
        self.learn(changes(hosted, self), {})
        for name in ("enlisted", "trimmed", "unsynced"):
            getattr(self.system, name).update(getattr(hosted, name))
        for key, missed in hosted.multicast.missed.items():
            self.system.multicast.missed[key] = {plain(msg) for msg in missed}
        for key, theirs in hosted.replicas.items():
            mine, order = self.system.replicas[key], cast(QueueOrder, theirs.order)
            standing = [plain(msg) for msg in theirs.ready]
            mine.status, mine.declared = theirs.status, theirs.declared
            mine.joined, mine.promoted = theirs.joined, theirs.promoted
            mine.ready, mine.delivered = set(standing), set(standing)
            for msg in standing:
                mine.store.level[msg] = theirs.store.level[msg]
                mine.order.ahead[msg] = {
                    m
                    for m in standing
                    if Msg.owner(m) != Msg.owner(msg) and order.places[m] < order.places[msg]
                }
            ranks = cast(RankedArrivals, mine.order).ranks
            ranks |= {plain(msg): order.rank(msg) for msg in theirs.ready if order.most}
            self.messages |= set(standing)
            self.system.persistent |= set(standing)

    def learn(self, changes: Iterable[Change], ranks: Ranks, msgs: Iterable[Msg] = ()) -> None:
        """Get the members and constants that there are by now.

        Args:
            changes: those that are new.
            ranks: how far below the highest priority messages are, by their queues.
            msgs: that are spoken of.
        """
        self.messages.update(msgs)
        for change in changes:
            self._change(change)
        for (of, msg), rank in ranks.items():
            self._ranks.setdefault(of, {})[msg] = rank

    def _change(self, change: Change) -> None:
        if change.family is None:
            setattr(self.system, cast(str, change.name), change.value)
            return
        family = growing(getattr(self.system, change.family))
        if change.key not in family:
            member = family.add(change.key)
            if change.family == "channels":
                member.next_seq = Msg.first(change.key)
                self.system.publishers[change.key].next_tag = Msg.first(change.key)
        if change.name is not None:
            setattr(family[change.key], change.name, change.value)
        if change.family == "replicas" and change.name == "of":
            ranks = self._ranks.setdefault(change.value, {})
            cast(RankedArrivals, family[change.key].order).ranks = ranks
            self._gets_mirrors(change.value)

    def _gets_mirrors(self, queue: Queue) -> None:
        """A queue may have its first mirror only now; what it has was answered for, or is owed.

        In the specification the processes of a queue are there from the beginning, so it is noted
        of each message who has confirmed it.
        """
        processes = [r for r, process in self.system.replicas.items() if process.of == queue]
        if len(processes) == 2:
            first, system = processes[0], self.system
            for msg in system.replicas[first].holds():
                noted = system.owing if queue in system.unaccepted[msg] else system.vouchers
                noted[msg].add(first)

    def has_ranks(self) -> bool:
        """Tell whether there is a queue with priorities."""
        return any(any(ranks.values()) for ranks in self._ranks.values())

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Give the sorts the elements that there are."""
        with bound_to(self.elements()):
            yield

    def elements(self) -> dict[Any, tuple[Any, ...]]:
        """Return the elements that there are, by their sorts."""
        system = self.system
        queues = dict.fromkeys(process.of for process in system.replicas.values())
        return {
            ChannelId: tuple(sorted(system.channels)),
            Msg: tuple(sorted(self.messages)),
            Queue: tuple(queues),
            Replica: tuple(sorted(system.replicas)),
            Node: self._nodes,
            Consumer: tuple(sorted(system.subscriptions)),
            Tag: tuple(self._tags()),
        }

    def _tags(self) -> list[Any]:
        """Return the delivery tags that are in use, and of each channel the next one."""
        tags: set[Any] = {1}
        for channel in self.system.consuming.values():
            tags |= {*channel.unacked, *channel.collected}
            if channel.last_tag is not None:
                tags |= {channel.last_tag, cast(Any, channel.last_tag) + 1}
        return sorted(tags)


def changes(hosted: HostedSystem, twin: Twin) -> Iterator[Change]:
    """Yield what a twin has to be told of members and constants before the next action."""
    for name in _constants(Confirms):
        if getattr(hosted, name) != getattr(twin.system, name):
            yield Change(None, None, name, getattr(hosted, name))
    for family in FAMILIES:
        mine, theirs = getattr(twin.system, family), getattr(hosted, family)
        for key, member in theirs.items():
            if key not in mine:
                yield Change(family, key, None)
            known = mine.get(key)
            for name in _constants(type(member)):
                value = getattr(member, name)
                if known is None or getattr(known, name) != value:
                    yield Change(family, key, name, value)


def ranks_of(hosted: HostedSystem, args: tuple[Any, ...]) -> Ranks:
    """Return how far below the highest priority the messages among the arguments are."""
    msgs = [arg for arg in args if isinstance(arg, Publication)]
    found: Ranks = {}
    for process in hosted.replicas.values() if msgs else ():
        order = cast(QueueOrder, process.order)
        if order.most:
            found |= {(process.of, plain(msg)): order.rank(cast(Msg, msg)) for msg in msgs}
    return found


def plain(value: Any) -> Any:
    """Return an argument as the specification has it: messages without contents."""
    if isinstance(value, Publication):
        return without_content(cast(Msg, value))
    return set(value) if isinstance(value, set) else value


def _constants(cls: Any) -> list[str]:
    return sorted(constants_of(cls) - keys_of(cls).keys())


def in_words(value: Any) -> str:
    """Return a value as a reader knows it: a message is its channel, and its number there."""
    match value:
        case int() if value >> NUMBER_BITS:
            return name_of(cast(Msg, value))
        case set():
            return f"{{{', '.join(sorted(map(in_words, value)))}}}"
        case list():
            return f"[{', '.join(map(in_words, value))}]"
        case dict():
            return f"{{{', '.join(f'{in_words(k)}: {in_words(v)}' for k, v in value.items())}}}"
    return str(value)
