"""Records and their fields."""

from __future__ import annotations

from ackproof.lang import (
    Map,
    Model,
    Option,
    OrderedSort,
    Record,
    Set,
    Sort,
    System,
    action,
    require,
)


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Pair(Record):
    """A record."""

    a: A
    flag: bool


class Root(System):
    """The system."""

    pair: Pair
    pairs: Set[Pair]
    best: Option[Pair]
    by_node: Map[B, Pair]

    @action
    def build(self, a: A, pair: Pair) -> None:
        """Records are built, compared and read."""
        require(pair.flag and pair != self.pair)
        self.pair = Pair(a, flag=True)
        self.pairs.add(Pair(flag=pair.flag, a=pair.a))
        self.best = pair
        self.pairs = {p for p in self.pairs if p.a == a}

    @action
    def read(self, b: B) -> None:
        """A field of something that is not None."""
        require(self.best is not None and self.best.a == self.by_node[b].a)
        self.by_node[b] = self.pair


MODEL = Model("records", Root, (), ())
