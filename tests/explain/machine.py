"""The specification's system as a transition system whose states can be kept, compared and told.

A state is data (`ackproof.model.live`), and a step is the action's own method, called on live
objects that hold the state.  Ghosts are put back to what they were at first: behaviour does not
read them, and two states that differ in nothing else are one.  Only what the publisher knows is
kept, which says what a frame with `multiple` covers.

The instance has one channel, that of the client, and is large enough for one run of the stateful
test: every queue name that is ever declared is a queue of its own, each process that joins one is
another, and there is one message for each publish.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from ackproof.lang import Event, Instance, NotEnabled
from ackproof.lang.binding import Bound, bind
from ackproof.lang.data import decoder, show
from ackproof.lang.frontend import compile_model
from ackproof.lang.process import hints_of
from ackproof.lang.sorts import bound as sorts_bound
from ackproof.model.live import Live, State
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Born, ChannelId, Consumer, Msg, Node, Overflow, Queue, Replica, Tag

__all__ = ["CHANNEL", "Action", "Kind", "Outcome", "SpecMachine", "State"]

#: What a step leads to: the state, and what a client sees of it.
Outcome = tuple[State, tuple[Event, ...]]
#: An action by its name, or several calls on the live system that are one step.
Action = str | Callable[..., None]

#: The channel that there is.
CHANNEL = "ch1"


@cache
def _program() -> Any:
    return compile_model(MODEL)


@dataclass(frozen=True)
class Kind:
    """What a queue is.

    Attributes:
        durable: whether it is.
        limit: how many messages may be ready in it; None for any number.
        refuses: whether it refuses what is too much, and drops nothing for it.
        expiring: whether its messages have no time.
        mirrors: how many mirrors its master has.
        spares: how many more may join.
        nodes: the node of each of its processes, the first one being that of the clients; none if
            the network never falls apart.
    """

    durable: bool = True
    limit: int | None = None
    refuses: bool = False
    expiring: bool = False
    mirrors: int = 0
    spares: int = 0
    nodes: tuple[str, ...] = ()

    @property
    def born(self) -> list[Born]:
        """Return what each of its processes is at first, by age."""
        return [Born.MASTER] + [Born.MIRROR] * self.mirrors + [Born.LATER] * self.spares


class SpecMachine:
    """The system at a size.

    Args:
        messages: how many publishes there can be.
        kinds: what each queue is.

    Attributes:
        replicas: all processes.
        siblings: for each process, those of the same queue, by age.
        kind: for each process, what its queue is.
        queue: for each process, which queue it is of.
    """

    def __init__(self, messages: int, kinds: Iterable[Kind]) -> None:
        kinds = tuple(kinds)
        self.queue = _queues(kinds)
        self.replicas = tuple(self.queue)
        self.kind = {r: kinds[int(self.queue[r][1:]) - 1] for r in self.replicas}
        self.siblings = {
            r: tuple(s for s in self.replicas if self.queue[s] == self.queue[r])
            for r in self.replicas
        }
        self._bound = _bound(messages, kinds)
        self._live = Live(self._bound)
        self._initial = self._bound.initial()[: len(self._bound.locations)]
        self._places = {loc.name: i for i, loc in enumerate(self._bound.locations)}
        self._ghosts = [
            i
            for i, loc in enumerate(self._bound.locations)
            if loc.variable.ghost and not loc.name.startswith("publishers[")
        ]
        self._decoders = [
            decoder(_hint(self._live, loc.variable.path, loc.elements))
            for loc in self._bound.locations
        ]
        self._taken: dict[Any, Outcome | None] = {}

    def is_mirror(self, replica: str) -> bool:
        """Tell whether a process is a mirror from the beginning."""
        born = self.kind[replica].born
        return born[self.siblings[replica].index(replica)] is Born.MIRROR

    def node(self, replica: str) -> str | None:
        """Return the node of a process, if it has one."""
        nodes = self.kind[replica].nodes
        return nodes[self.siblings[replica].index(replica)] if nodes else None

    @contextmanager
    def sized(self) -> Iterator[None]:
        """Give the sorts their sizes, which every step needs."""
        with sorts_bound(self._bound.sizes):
            yield

    def initial(self) -> State:
        """Return the state before anything has happened."""
        return self._initial

    def get(self, state: State, name: str) -> Any:
        """Return the value of a variable, named as in traces: `replicas[r1].ready`."""
        place = self._places[name]
        return self._decoders[place](state[place])

    def reborn(self, state: State, following: int | None) -> State:
        """Return the state in which the client has opened another channel after the end of one.

        Args:
            state: the state before.
            following: the number of its first message.  It is none that there was, since to queues
                the messages of a new channel are others.
        """
        values = list(state)
        for name, place in self._places.items():
            if name.startswith(("channels[ch1].", "publishers[ch1].", "transactions[ch1].")):
                values[place] = self._initial[place]
        for name in ("channels[ch1].next_seq", "publishers[ch1].next_tag"):
            values[self._places[name]] = following
        return tuple(values)

    def step(self, state: State, action: Action, *args: Any) -> Outcome | None:
        """Take a step; None if the specification does not allow it here."""
        key = (state, action, tuple(frozenset(a) if isinstance(a, set) else a for a in args))
        if key not in self._taken:
            self._taken[key] = self._step(state, action, args)
        return self._taken[key]

    def _step(self, state: State, action: Action, args: tuple[Any, ...]) -> Outcome | None:
        self._live.change(state)
        root = self._live.root
        try:
            getattr(root, action)(*args) if isinstance(action, str) else action(root, *args)
        except NotEnabled:
            return None
        values = list(self._live.read())
        for place in self._ghosts:
            values[place] = self._initial[place]
        return tuple(values), tuple(self._live.events)

    def forget(self) -> None:
        """Forget which steps were tried, if there are very many."""
        if len(self._taken) > 100_000:
            self._taken.clear()

    def tell(self, state: State) -> str:
        """Return a state in words: what is not as it was at first."""
        return ", ".join(
            f"{name} = {show(state[place])}"
            for name, place in self._places.items()
            if state[place] != self._initial[place] and place not in self._ghosts
        )


def _queues(kinds: tuple[Kind, ...]) -> dict[str, str]:
    """Return the queue of each process."""
    of = [f"q{i}" for i, kind in enumerate(kinds, 1) for _ in kind.born]
    return {f"r{i}": queue for i, queue in enumerate(of, 1)}


@cache
def _bound(messages: int, kinds: tuple[Kind, ...]) -> Bound:
    queue = _queues(kinds)
    kind = {r: kinds[int(queue[r][1:]) - 1] for r in queue}
    born = dict(zip(queue, (one for k in kinds for one in k.born), strict=True))
    nodes = dict(zip(queue, (node for k in kinds for node in k.nodes), strict=False))
    off = {Node: len(set(nodes.values())), Consumer: 0, Tag: 0}
    instance = Instance(
        name="stateful",
        purpose="what a run of the stateful test can be about",
        sizes={**off, ChannelId: 1, Msg: messages, Queue: len(kinds), Replica: len(queue)},
        constants={
            "QueueProcess.of": queue,
            "QueueProcess.born": born,
            "QueueProcess.durable": {r: kind[r].durable for r in queue},
            "QueueProcess.limited": {r: kind[r].limit is not None for r in queue},
            "QueueProcess.max_length": {r: kind[r].limit or 0 for r in queue},
            "QueueProcess.overflow": {
                r: Overflow.REJECT_PUBLISH if kind[r].refuses else Overflow.DROP_HEAD for r in queue
            },
            "QueueProcess.marking": True,
            "QueueProcess.node": {r: nodes.get(r) for r in queue},
            "Confirms.home": min(nodes.values(), default=None),
            "Confirms.transactional": True,
        },
    )
    return bind(MODEL, instance, program=_program())


def _hint(live: Live, path: tuple[str, ...], elements: tuple[Any, ...]) -> Any:
    owner = live.process_at(path[:-1], iter(elements))
    return hints_of(owner.__class__)[path[-1]]
