"""Random systems of a few places: what properties of runs are compared on.

A system walks between places; each action moves it from some places to others and is fair in one of
three ways. It is drawn as a table, and written as a specification and as a graph, so that the
engines can be compared with each other and with `stays_false`, which tries every set of places.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

__all__ = ["ESCAPES", "Walk", "random_cut_walk", "random_walk"]

_HEAD = '''
"""A random walk."""
import sys
from typing import Annotated
from ackproof.lang import (
    Instance, Model, Range, System, action, constraint, eventually, leads_to, properties_in, require
)


class Walk(System):
    """Walks."""

    at: Annotated[int, Range(0, {last})]
'''

_ACTION = '''
    @action{fair}
    def go{number}(self) -> None:
        """Go."""
        require({places})
        {branches}
'''

_TAIL = '''

@eventually
def Arrives(s: Walk) -> bool:
    """Comes to a place that is wanted."""
    return {wanted}


@leads_to
def Answers(s: Walk) -> tuple[bool, bool]:
    """Comes from a place where that is asked for to one that is wanted."""
    return {asked}, {wanted}


@constraint
def Within(s: Walk) -> bool:
    """Is not cut."""
    return {within}


MODEL = Model("walk", Walk, properties_in(sys.modules[__name__]), (Instance("only", "", {{}}),))
'''


@dataclass(frozen=True)
class Walk:
    """Places 0 to `places - 1`, the first being where it begins.

    Args:
        moves: for each action where it leads from where; to itself is allowed.
        fair: for each action "weak", "strong" or None.
        wanted: where the property is true.
        cut: where a constraint is false, so that nobody looks at how it goes on.
        asked: where it is asked for a wanted place.
    """

    places: int
    moves: tuple[dict[int, int], ...]
    fair: tuple[str | None, ...]
    wanted: frozenset[int]
    cut: frozenset[int] = frozenset()
    asked: frozenset[int] = frozenset()

    def source(self) -> str:
        """Return it as a specification."""
        text = _HEAD.format(last=self.places - 1)
        for number, (moves, fair) in enumerate(zip(self.moves, self.fair, strict=True)):
            branches = "\n        el".join(
                f"if self.at == {place}:\n            self.at = {after}"
                for place, after in moves.items()
            )
            text += _ACTION.format(
                number=number,
                fair=f'(fair="{fair}")' if fair else "",
                places=" or ".join(f"self.at == {place}" for place in moves),
                branches=branches,
            )
        wanted = " or ".join(f"s.at == {place}" for place in sorted(self.wanted))
        within = " and ".join(f"s.at != {place}" for place in sorted(self.cut))
        asked = " or ".join(f"s.at == {place}" for place in sorted(self.asked))
        return text + _TAIL.format(
            wanted=wanted or "s.at < 0", within=within or "s.at >= 0", asked=asked or "s.at < 0"
        )

    def depths(self) -> dict[int, int]:
        """Return how many steps it takes to each place that can be reached."""
        found = {0: 0}
        for place in (queue := [0]):
            for moves in self.moves:
                after = place if place in self.cut else moves.get(place, place)
                if after not in found:
                    found[after] = found[place] + 1
                    queue.append(after)
        return found

    def stays_false(self) -> int | None:
        """Return the least depth of a place in a fair set without a wanted place, if there is one.

        Every set of places is tried: may a run visit just these, over and over?
        """
        depths = self.depths()
        return min((depths[place] for place in self._stayed_in()), default=None)

    def stays_unanswered(self) -> int | None:
        """Return the least number of steps to a place in a fair set where an answer is missing.

        That is so if it was asked for on the way, and there was none from there on.
        """
        missing = self._missing()
        found = {p: depth for p, depth in self.depths().items() if p in missing & self.asked}
        # As many rounds as there are places, each of which takes every step once.
        for _ in range(self.places):
            for number in range(len(self.moves)):
                for place, after in self.changes(number):
                    if place in found and after in missing:
                        found[after] = min(found.get(after, self.places**2), found[place] + 1)
        return min((found[place] for place in self._stayed_in() if place in found), default=None)

    def violated(self) -> dict[str, int]:
        """Return how many steps it takes to the violation of each property that is violated."""
        known = {"Arrives": self.stays_false(), "Answers": self.stays_unanswered()}
        return {name: depth for name, depth in known.items() if depth is not None}

    def _missing(self) -> set[int]:
        """Return the places that are neither wanted nor cut, of those that can be reached."""
        return {p for p in self.depths() if p not in self.wanted | self.cut}

    def _stayed_in(self) -> Iterator[int]:
        """Yield the places of all fair sets without a wanted place."""
        places = sorted(self._missing())
        for size in range(1, len(places) + 1):
            for some in combinations(places, size):
                if self._connected(set(some)) and self._fair(set(some)):
                    yield from some

    def changes(self, number: int) -> Iterator[tuple[int, int]]:
        """Yield the moves of an action that lead elsewhere."""
        return ((p, after) for p, after in self.moves[number].items() if p != after)

    def _connected(self, some: set[int]) -> bool:
        for root in some:
            seen = {root}
            for place in (queue := [root]):
                for number in range(len(self.moves)):
                    after = dict(self.changes(number)).get(place, place)
                    if after in some and after not in seen:
                        seen.add(after)
                        queue.append(after)
            if seen != some:
                return False
        return True

    def _fair(self, some: set[int]) -> bool:
        for number, fair in enumerate(self.fair):
            enabled = {p for p, _ in self.changes(number)} & some
            taken = any(p in some and after in some for p, after in self.changes(number))
            if fair == "weak" and enabled == some and not taken:
                return False
            if fair == "strong" and enabled and not taken:
                return False
        return True


#: Places 0 to 2 lead to each other, and who comes to 2 again and again must leave for 3. So a run
#: can keep to 0 and 1, or to 1 and 2 if that is not asked of it.
ESCAPES = Walk(
    places=4,
    moves=({0: 1, 1: 0}, {1: 2, 2: 1}, {2: 3}),
    fair=("weak", "weak", "strong"),
    wanted=frozenset({3}),
)


def random_walk(seed: int) -> Walk:
    """Return a random walk, the same one for the same seed."""
    chance = random.Random(seed)
    places = chance.randint(2, 7)
    moves = []
    for _ in range(chance.randint(1, 6)):
        sources = sorted(chance.sample(range(places), chance.randint(1, min(4, places))))
        moves.append({place: chance.randrange(places) for place in sources})
    fair = tuple(chance.choice((None, "weak", "weak", "strong", "strong")) for _ in moves)
    wanted = frozenset(chance.sample(range(places), chance.randint(0, max(1, places // 3))))
    asked = frozenset(chance.sample(range(places), chance.randint(0, max(1, places // 3))))
    return Walk(places, tuple(moves), fair, wanted, asked=asked)


def random_cut_walk(seed: int) -> Walk:
    """Return a random walk some of whose places are cut, the same one for the same seed."""
    walk, chance = random_walk(seed), random.Random(f"cut {seed}")
    count = chance.randint(1, max(1, walk.places // 2))
    return replace(walk, cut=frozenset(chance.sample(range(walk.places), count)))
