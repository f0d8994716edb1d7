"""The specification's channel alone, with queues that may do anything: the full set of states.

This is what the judge is compared with.  After each event it holds every state of the channel that
explains all events so far: how many publishes it has read, what waits, is confirmed and rejected,
and which frames of the current step are still to be seen.  Each queue may confirm and refuse what
it likes, and when; a message may have a queue or none.  So the set grows quickly, and serves for
short runs.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from ackproof.conform.events import Event, Kind
from ackproof.lang import Event as Frame
from ackproof.spec.channel import Channel
from ackproof.spec.wire import Ack, Nack

_QUEUE: Any = "r1"


class State(NamedTuple):
    """A state of the channel: what it has read, what it knows, what it is about to say."""

    read: int = 0
    waiting: frozenset[int] = frozenset()
    confirmed: frozenset[int] = frozenset()
    rejected: frozenset[int] = frozenset()
    saying: tuple[tuple[str, int, bool], ...] = ()


def _seen(frame: Any) -> tuple[str, int, bool]:
    if isinstance(frame, Ack | Nack):
        return type(frame).__name__, frame.tag, frame.multiple  # type: ignore[return-value]
    return "Return", frame.msg, False


def _channel(state: State, frames: list[Frame]) -> Any:
    channel: Any = Channel(emit=frames.append, ghosts=True)
    channel.confirming = True
    channel.channel = "ch1"
    channel.next_seq = state.read + 1
    for seq in state.waiting:
        channel.unconfirmed[seq] = {_QUEUE}
    channel.confirmed.update(state.confirmed)
    channel.rejected.update(state.rejected)
    return channel


def _after(state: State, method: str, *args: Any) -> State:
    frames: list[Frame] = []
    channel = _channel(state, frames)
    getattr(channel, method)(*args)
    return State(
        channel.next_seq - 1,
        frozenset(channel.unconfirmed),
        frozenset(channel.confirmed),
        frozenset(channel.rejected),
        tuple(map(_seen, frames)),
    )


@cache
def _steps(state: State, published: int) -> frozenset[State]:
    if state.saying:
        return frozenset()
    found = set()
    if state.read < published:
        found |= {_after(state, "publish", {_QUEUE}, True), _after(state, "publish", set(), True)}
    for seq in state.waiting:
        found |= {_after(state, "settle", seq, _QUEUE, {_QUEUE})}
        found |= {_after(state, "reject", seq, _QUEUE)}
    if state.confirmed or state.rejected:
        found.add(_after(state, "flush"))
    return frozenset(found)


@cache
def _closure(states: frozenset[State], published: int) -> frozenset[State]:
    reached, new = set(states), set(states)
    while new:
        new = {s for state in new for s in _steps(state, published)} - reached
        reached |= new
    return frozenset(reached)


class Explanations:
    """All states of the channel that explain what was seen."""

    def __init__(self, published: int = 0, states: frozenset[State] = frozenset({State()})) -> None:
        self.published = published
        self._states = _closure(states, published)

    def __bool__(self) -> bool:
        return bool(self._states)

    def after(self, event: Event) -> Explanations:
        """Return what explains one event more; a publish is always explained."""
        if event.kind == Kind.PUBLISH:
            return Explanations(self.published + 1, self._states)
        tag = int(event.digest) if event.kind == Kind.RETURN else event.tag
        said = (str(event.kind), tag, event.multiple)
        return Explanations(
            self.published,
            frozenset(
                s._replace(saying=s.saying[1:]) for s in self._states if s.saying[:1] == (said,)
            ),
        )
