"""Live systems, built from the specification's classes, and what they look like from a channel.

Most scenarios have one channel, and say nothing of it: `FromChannel` gives each step and each part
that is of a channel the one that it looks from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import signature
from typing import Any, get_args, get_origin

from ackproof.lang import Each, Event, Process
from ackproof.lang.process import hints_of, keys_of, observers_of, split_marks
from ackproof.spec.sorts import ChannelId, Msg
from ackproof.spec.system import Confirms

#: The parts of which each channel has one, under the names that they have for one channel.
_PARTS = {
    "channel": "channels",
    "publisher": "publishers",
    "transaction": "transactions",
    "consuming": "consuming",
    "reader": "readers",
    "reading": "reading",
    "casts": "casts",
    "seen_tags": "seen_tags",
}


class FromChannel:
    """A system as one of its channels sees it."""

    def __init__(self, whole: Confirms, channel: ChannelId) -> None:
        vars(self).update(whole=whole, of=channel)

    def __getattr__(self, name: str) -> Any:
        if name in _PARTS:
            return getattr(self.whole, _PARTS[name])[self.of]
        found = getattr(self.whole, name)
        if callable(found) and next(iter(signature(found).parameters), "") == "channel":
            return partial(found, self.of)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.whole, name, value)


def channel_named(number: int) -> ChannelId:
    """Return a channel."""
    element: Any = f"ch{number}"
    return element  # type: ignore[no-any-return]


#: The only channel of most scenarios.
CH1 = channel_named(1)


def built(
    changed: Iterable[type] = (),
    constants: Mapping[str, Any] | None = None,
    given: Mapping[str, Mapping[Any, Mapping[str, Any]]] | None = None,
) -> tuple[Confirms, list[Event]]:
    """Return a system in its first state, and the list of what its clients see.

    The sorts must have their sizes.

    Args:
        changed: the classes that a design puts in the place of others.
        constants: of the system.
        given: for families, by name, the constants of their members.
    """
    frames: list[Event] = []

    def show(event: Event) -> None:
        frames.append(event)
        for kind, observe in observers:
            if isinstance(event, kind):
                observe(event)

    observers: tuple[tuple[type[Event], Callable[[Any], None]], ...] = ()
    system: Confirms = _process(Confirms, tuple(changed), show, {})
    observers = tuple(observers_of(system))
    for name, value in (constants or {}).items():
        setattr(system, name, value)
    for family, members in (given or {}).items():
        for element, values in members.items():
            for name, value in values.items():
                setattr(getattr(system, family)[element], name, value)
    return system, frames


def _process(
    cls: Any,
    changed: tuple[type, ...],
    emit: Callable[[Event], None],
    members: Mapping[Any, Any],
) -> Any:
    """Build a process with all its parts; `members` are the elements whose member it is."""
    latest = next((new for new in changed if issubclass(new, cls)), cls)
    made = latest(emit=emit, ghosts=True)
    for name, sort in keys_of(latest).items():
        setattr(made, name, members[sort])
    for name, hint in hints_of(latest).items():
        part, _ = split_marks(hint)
        if isinstance(part, type) and issubclass(part, Process):
            setattr(made, name, _process(part, changed, emit, members))
        elif get_origin(part) is Each:
            sort, member = get_args(part)
            for element in sort:
                of = {**members, sort: element}
                getattr(made, name)[element] = _process(member, changed, emit, of)
    for name in ("next_seq", "next_tag"):
        if ChannelId in members and getattr(made, name, None) == 1:
            setattr(made, name, Msg.first(members[ChannelId]))
    return made
