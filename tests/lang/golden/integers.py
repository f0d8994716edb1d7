"""Integers and their ranges."""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Const, Map, Model, Option, Range, Set, System, action, require


class Root(System):
    """The system."""

    count: Annotated[int, Range(0, 3)]
    low: Annotated[int, Range(-2, 2)] = -1
    limit: Const[int] = 3
    seen: Set[Annotated[int, Range(0, 7)]]
    names: Map[Annotated[int, Range(0, 3)], bool]
    last: Option[Annotated[int, Range(0, 3)]]

    @action
    def change(self, n: Annotated[int, Range(1, 2)]) -> None:
        """Arithmetic; what is stored elsewhere is brought to its range."""
        require(self.count + n <= self.limit and self.low * 2 > -1)
        self.seen.add(self.count + n)
        self.seen = {x for x in self.seen if x - 1 > n} if self.low < 0 else {1, n}
        self.names[n] = self.names[self.count]
        self.last = n
        self.count += n
        self.low -= 1
        self.count = min(self.count, 2) - max(n, self.low)

    @action
    def least(self) -> None:
        """The least integer of a set."""
        require(len(self.seen) < 2 and min({1, self.count}) == self.last)
        self.last = 2


MODEL = Model("integers", Root, (), ())
