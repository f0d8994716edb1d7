"""Beginnings: the initial states of a bound program.

A declaration says with what a variable starts, or leaves it open (`= anything()`).  Every choice of
values for what is open is tried, and those are initial states in which each `@initially` function
is true; plain Python says whether it is, as it says whether a property holds.  A function is asked
as soon as all is chosen that it speaks of, so that what it excludes is not gone into further.

The order is that of the declarations, the last one fastest, with values in the order of their types
(see `ackproof.lang.data.domain`); it numbers initial states, and is the same for every engine.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.data import domain, domain_size
from ackproof.lang.errors import BindError
from ackproof.lang.places import path_of
from ackproof.lang.program import PropertyDecl
from ackproof.model.limits import MOST_BEGINNINGS
from ackproof.model.plain import PlainMachine, State

__all__ = ["begins", "initial_states", "left_open"]

#: The latest programs, with their initial states.
_LATEST: list[tuple[Bound, tuple[State, ...]]] = []
_KEPT = 8


def left_open(bound: Bound) -> tuple[int, ...]:
    """Return the numbers of the locations that may start with anything."""
    return tuple(n for n, loc in enumerate(bound.locations) if loc.variable.anything)


def initial_states(bound: Bound) -> tuple[State, ...]:
    """Return the initial states of a bound program, in their order; those of the latest are kept.

    Raises:
        BindError: there is none, or there is too much to try.
    """
    for known, states in _LATEST:
        if known is bound:
            return states
    _LATEST.insert(0, (bound, _initial_states(bound)))
    del _LATEST[_KEPT:]
    return _LATEST[0][1]


def begins(bound: Bound, state: State) -> bool:
    """Tell whether a state, whose values are of their types, is an initial one."""
    choices, fixed = set(left_open(bound)), bound.first()
    if any(x != y for n, (x, y) in enumerate(zip(state, fixed, strict=True)) if n not in choices):
        return False
    with PlainMachine(bound) as machine:
        return all(machine.holds(p, state) for p in bound.initially)


def _initial_states(bound: Bound) -> tuple[State, ...]:
    places = left_open(bound)
    if not places and not bound.initially:
        return (bound.first(),)
    _refuse_large_types(bound, places)
    with PlainMachine(bound) as machine:
        found = tuple(_Choosing(machine, places).states())
    if not found:
        names = " and ".join(p.name for p in bound.initially)
        raise BindError(
            f"instance {bound.instance.name}: there is no initial state, as {names} is true of "
            "none; demand less in it, or let a variable start with anything()"
        )
    return found


def _refuse_large_types(bound: Bound, places: Sequence[int]) -> None:
    """Refuse a variable with more values than can be tried, before they are listed."""
    for place in places:
        loc = bound.locations[place]
        if domain_size(loc.variable.type, bound.elements) > MOST_BEGINNINGS:
            raise _too_many(bound, f"{loc.name} alone may start with more values")


def _too_many(bound: Bound, problem: str) -> BindError:
    return BindError(
        f"instance {bound.instance.name}: {problem} than can be tried, which is "
        f"{MOST_BEGINNINGS:,}; make sorts and ranges smaller, or choose the values in a first step"
    )


class _Choosing:
    """Chooses values for what is left open, one place after the other.

    Args:
        machine: the program; it is to be used inside `with machine:`.
        places: the numbers of the locations that are left open.
    """

    def __init__(self, machine: PlainMachine, places: Sequence[int]) -> None:
        self._machine = machine
        self._bound = bound = machine.bound
        self._places = places
        self._values = [domain(bound.locations[n].variable.type, bound.elements) for n in places]
        self._asked: list[list[PropertyDecl]] = [[] for _ in range(len(places) + 1)]
        for prop in bound.initially:
            self._asked[self._needs(prop)].append(prop)
        self._left = MOST_BEGINNINGS

    def states(self) -> Iterator[State]:
        """Yield the initial states."""
        first = self._bound.first()
        if not any(self._asked):
            self._take(math.prod(map(len, self._values)))
            yield from self._all(list(first))
        elif self._allowed(first, 0):
            yield from self._from(first, 0)

    def _all(self, state: list[object]) -> Iterator[State]:
        """Yield every choice, where nothing is demanded of them."""
        for chosen in itertools.product(*self._values):
            for place, value in zip(self._places, chosen, strict=True):
                state[place] = value
            yield tuple(state)

    def _from(self, state: State, at: int) -> Iterator[State]:
        """Yield the initial states that agree with a state in the first so many places."""
        if at == len(self._places):
            yield state
            return
        place = self._places[at]
        self._take(len(self._values[at]))
        for value in self._values[at]:
            chosen = (*state[:place], value, *state[place + 1 :])
            if self._allowed(chosen, at + 1):
                yield from self._from(chosen, at + 1)

    def _allowed(self, state: State, at: int) -> bool:
        """Tell whether what speaks of the first so many places, and of no others, is true."""
        return all(self._machine.holds(prop, state) for prop in self._asked[at])

    def _take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise _too_many(self._bound, "there are more ways to begin")

    def _needs(self, prop: PropertyDecl) -> int:
        """Return how many places have to be chosen before a function can be asked."""
        read = {path_of(node) for node in ir.walk(prop.body) if isinstance(node, ir.Field)}
        names = [self._bound.locations[place].variable.name for place in self._places]
        return max((n for n, name in enumerate(names, start=1) if name in read), default=0)
