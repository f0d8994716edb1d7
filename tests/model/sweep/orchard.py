"""An orchard for sweeps: what goes wrong in it needs two baskets, or a ladder that is not checked.

Apples are picked into baskets.  A storm may come.  Each constant is of another kind.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ackproof.lang import (
    Const,
    Each,
    Instance,
    Model,
    Option,
    OrderedSort,
    Process,
    Range,
    Set,
    Sort,
    System,
    action,
    assumption,
    fault,
    handler,
    invariant,
    require,
)


class Basket(Sort, prefix="b"):
    """A basket."""


class Apple(OrderedSort):
    """An apple."""


class Wood(Enum):
    """What a ladder is made of."""

    OAK = "oak"
    PINE = "pine"


class Tree(Process):
    """What is picked into one basket."""

    ladder: Const[Wood] = Wood.OAK
    beside: Const[Option[Basket]] = None
    room: Const[Annotated[int, Range(0, 2)]] = 1

    picked: Set[Apple]

    @handler
    def pick(self, apple: Apple) -> None:
        """An apple is picked."""
        require(apple not in self.picked)
        self.picked.add(apple)


class Orchard(System):
    """Trees, and a storm."""

    trees: Each[Basket, Tree]
    careful: Const[bool] = True
    stormy: bool

    @action
    def pick(self, basket: Basket, apple: Apple) -> None:
        """An apple is picked into a basket; who is careful looks into the others."""
        require(not self.careful or all(apple not in self.trees[b].picked for b in Basket))
        self.trees[basket].pick(apple)

    @fault
    def storm(self) -> None:
        """A storm comes."""
        self.stormy = True

    @fault
    def hail(self) -> None:
        """Ice falls."""
        require(self.stormy)


@invariant
def EachIsPickedOnce(s: Orchard) -> bool:
    """No apple is in two baskets."""
    return all(a == b or not s.trees[a].picked & s.trees[b].picked for a in Basket for b in Basket)


@assumption
def BasketsStandTogether(s: Orchard) -> bool:
    """Of two baskets each stands beside some other one."""
    return len(Basket) < 2 or all(s.trees[b].beside not in (None, b) for b in Basket)


MODEL = Model(
    "orchard",
    Orchard,
    (EachIsPickedOnce.__ackproof_property__,),
    (Instance("one", "one of each", {Basket: 1, Apple: 1}),),
    assumptions=__name__,
)
