"""Coins that lie on a table as they fell, and are turned over two at a time.

A model whose runs begin in several states: which coins show heads and how much lies below each is
open, and so is on which of those that show heads somebody has an eye.
"""

import sys
from typing import Annotated

from ackproof.lang import (
    Each,
    Instance,
    Map,
    Model,
    Process,
    Range,
    Set,
    Sort,
    System,
    action,
    anything,
    eventually,
    initially,
    invariant,
    properties_in,
    reachable,
    require,
    step_property,
)


class Coin(Sort, prefix="c"):
    """A coin."""


class Face(Process):
    """What a coin shows."""

    heads: bool = anything()


class Table(System):
    """The coins, and how often some were turned."""

    coins: Each[Coin, Face]
    below: Map[Coin, Annotated[int, Range(1, 2)]] = anything()
    eye: Coin = anything()
    seen: Set[Coin]
    turns: Annotated[int, Range(0, 3)]

    @action
    def turn(self, one: Coin, other: Coin) -> None:
        """Two coins are turned over."""
        require(one != other and self.turns < 3)
        self.coins[one].heads = not self.coins[one].heads
        self.coins[other].heads = not self.coins[other].heads
        self.turns += 1

    @action(fair="weak")
    def look(self) -> None:
        """Somebody looks at the coin, if that is worth it."""
        require(self.below[self.eye] == 2)
        self.seen.add(self.eye)


@initially
def TheEyeIsOnHeads(s: Table) -> bool:
    """Nobody looks at tails."""
    return s.coins[s.eye].heads


@initially
def OneIsDear(s: Table) -> bool:
    """Below one coin lies more than below the others."""
    return any(s.below[c] == 2 and all(s.below[d] == 1 or c == d for d in Coin) for c in Coin)


@invariant
def SomeShowTails(s: Table) -> bool:
    """They did not all fall the same way."""
    return not all(s.coins[c].heads for c in Coin)


@invariant
def SomeShowHeads(s: Table) -> bool:
    """Not all are turned to tails: false for those that fell with two heads."""
    return any(s.coins[c].heads for c in Coin)


@step_property
def TheEyeStaysOnHeads(before: Table, after: Table) -> bool:
    """Nobody turns the coin that somebody looks at."""
    return after.coins[after.eye].heads or not before.coins[before.eye].heads


@eventually
def SomethingIsSeen(s: Table) -> bool:
    """Somebody looks: false where the eye is not on the coin that is worth it."""
    return bool(s.seen)


@reachable
def AllShowTails(s: Table) -> bool:
    """No coin shows heads."""
    return not any(s.coins[c].heads for c in Coin)


MODEL = Model(
    "coins",
    Table,
    properties_in(sys.modules[__name__]),
    (Instance("three", "three coins", {Coin: 3}), Instance("two", "two coins", {Coin: 2})),
)
