"""The specification's system as a transition system whose states can be kept, compared and told.

A state is data (`ackproof.model.live`), and a step is the action's own method, called on live
objects that hold the state.  Ghosts are put back to what they were at first: behaviour does not
read them, and two states that differ in nothing else are one.

The instance is large enough for one run of the stateful test: every queue name that is ever
declared is a queue of its own, and there is one message for each publish.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ackproof.model.live import Live, State
from ackproof.spec.lang import Event, Instance, NotEnabled
from ackproof.spec.lang.binding import Bound, bind
from ackproof.spec.lang.data import decoder, show
from ackproof.spec.lang.frontend import compile_model
from ackproof.spec.lang.process import hints_of
from ackproof.spec.lang.sorts import bound as sorts_bound
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Consumer, Msg, Node, Queue, Replica, Tag

__all__ = ["SpecMachine", "State"]

#: What a step leads to: the state, and what a client sees of it.
Outcome = tuple[State, tuple[Event, ...]]


@cache
def _program() -> Any:
    return compile_model(MODEL)


class SpecMachine:
    """The system at a size, one queue process for each queue.

    Args:
        messages: how many publishes there can be.
        durable: for each queue, whether it is.
    """

    def __init__(self, messages: int, durable: Iterable[bool]) -> None:
        self.durable = tuple(durable)
        numbers = range(1, len(self.durable) + 1)
        self.replicas = tuple(f"r{i}" for i in numbers)
        self._bound = _bound(messages, self.durable)
        self._live = Live(self._bound)
        self._initial = self._bound.initial()[: len(self._bound.locations)]
        self._places = {loc.name: i for i, loc in enumerate(self._bound.locations)}
        self._ghosts = [i for i, loc in enumerate(self._bound.locations) if loc.variable.ghost]
        self._decoders = [
            decoder(_hint(self._live, loc.variable.path, loc.elements))
            for loc in self._bound.locations
        ]
        self._taken: dict[Any, Outcome | None] = {}

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

    def put(self, state: State, **data: Any) -> State:
        """Return a state in which variables have other values, given as data; `__` for a dot."""
        values = list(state)
        for name, value in data.items():
            values[self._places[name.replace("__", ".")]] = value
        return tuple(values)

    def reborn(self, state: State, following: int | None) -> State:
        """Return the state in which the client has opened another channel after the end of one.

        Args:
            state: the state before.
            following: the number of its first message.  It is none that there was, since to queues
                the messages of a new channel are others.
        """
        values = list(state)
        for name, place in self._places.items():
            if name.startswith(("channel.", "publisher.", "transaction.")):
                values[place] = self._initial[place]
        return self.put(tuple(values), channel__next_seq=following, publisher__next_tag=following)

    def step(self, state: State, action: str, *args: Any) -> Outcome | None:
        """Take a step; None if the specification does not allow it here."""
        key = (state, action, tuple(frozenset(a) if isinstance(a, set) else a for a in args))
        if key not in self._taken:
            self._taken[key] = self._step(state, action, args)
        return self._taken[key]

    def _step(self, state: State, action: str, args: tuple[Any, ...]) -> Outcome | None:
        self._live.change(state)
        try:
            getattr(self._live.root, action)(*args)
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


@cache
def _bound(messages: int, durable: tuple[bool, ...]) -> Bound:
    numbers = range(1, len(durable) + 1)
    off = {Node: 0, Consumer: 0, Tag: 0}
    instance = Instance(
        name="stateful",
        purpose="what a run of the stateful test can be about",
        sizes={**off, Msg: messages, Queue: len(durable), Replica: len(durable)},
        constants={
            "QueueProcess.of": {f"r{i}": f"q{i}" for i in numbers},
            "QueueProcess.durable": {f"r{i}": durable[i - 1] for i in numbers},
            "QueueProcess.marking": True,
            "Confirms.transactions": True,
        },
    )
    return bind(MODEL, instance, program=_program())


def _hint(live: Live, path: tuple[str, ...], elements: tuple[Any, ...]) -> Any:
    owner = live.process_at(path[:-1], iter(elements))
    return hints_of(owner.__class__)[path[-1]]
