"""What a step has changed, place by place, in the fewest words.

A set tells what came and what went (`+1 −2`), a map the same for each key that changed, a record
for each field, and anything else its value before and after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ackproof.lang.binding import Bound, Location
from ackproof.lang.data import default_data
from ackproof.lang.types import MapT, RecordT, SetT, Type
from ackproof.model.lanes import Lane, Lanes
from ackproof.model.show import in_order, show_value

__all__ = ["Change", "changes"]

State = tuple[Any, ...]


@dataclass(frozen=True)
class Change:
    """One place of the state before and after a step.

    Args:
        details: what changed inside it: a path below the place, and what happened there.
    """

    location: Location
    name: str
    lane: Lane
    before: Any
    after: Any
    details: tuple[tuple[str, str], ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The change as lines: a place, and what happened to it."""
        return tuple(f"{self.name}{place}  {text}" for place, text in self.details)

    @property
    def ghost(self) -> bool:
        """Whether it is history only, which behaviour does not depend on."""
        return self.location.variable.ghost


def changes(lanes: Lanes, before: State, after: State) -> tuple[Change, ...]:
    """Return the places in which two states differ; ghosts last, budgets not at all."""
    bound = lanes.bound
    found = [
        Change(
            loc,
            lanes.name(loc),
            lanes.of(loc),
            old,
            new,
            tuple(_differ("", old, new, loc.variable.type, bound)),
        )
        for loc, old, new in zip(bound.locations, before, after, strict=False)
        if old != new
    ]
    return tuple(sorted(found, key=lambda c: c.ghost))


def _differ(place: str, old: Any, new: Any, t: Type, bound: Bound) -> Iterator[tuple[str, str]]:
    if isinstance(t, SetT):
        signs = [f"+{show_value(v, t.elem)}" for v in in_order(new - old, t.elem)]
        signs += [f"−{show_value(v, t.elem)}" for v in in_order(old - new, t.elem)]
        yield place, " ".join(signs)
    elif isinstance(t, MapT):
        was, now = dict(old), dict(new)
        default = default_data(t.value, bound.elements)
        for key in in_order(was.keys() | now.keys(), t.key):
            a, b = was.get(key, default), now.get(key, default)
            if a != b:
                yield from _differ(f"{place}[{show_value(key, t.key)}]", a, b, t.value, bound)
    elif isinstance(t, RecordT):
        for (name, inner), a, b in zip(t.fields, old, new, strict=True):
            if a != b:
                yield from _differ(f"{place}.{name}", a, b, inner, bound)
    else:
        yield place, f"{show_value(old, t)} → {show_value(new, t)}"
