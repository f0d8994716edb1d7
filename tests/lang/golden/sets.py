"""Sets: displays, operators, comparisons, changes."""

from __future__ import annotations

import enum

from ackproof.lang import Model, OrderedSort, Set, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Root(System):
    """The system."""

    items: Set[A]
    others: Set[A]
    colors: Set[Color]
    flag: bool

    @action
    def build(self, a: A, some: Set[A]) -> None:
        """What makes a set."""
        self.items = {a, A.first()}
        self.others = (self.items | some) & self.others - {a} ^ set(some)
        self.items = set()
        self.others = set(A)
        self.colors = {c for c in Color if c != Color.RED}
        self.items = {x for x in some for y in self.others if x < y if self.flag}

    @action
    def ask(self, a: A) -> None:
        """What is asked of a set."""
        require(a in self.items and a not in self.others)
        require(self.items <= self.others and self.others > self.items)
        require(self.items == self.others or self.items != {a})
        require(len(self.items) == 1 and len(Color) > len(self.colors))
        require(a in A and self.items == set())

    @action
    def change(self, a: A) -> None:
        """What changes a set."""
        self.items.add(a)
        self.items.discard(a)
        self.items.update({x for x in self.others if x < a})
        self.items.difference_update(self.others)
        self.items.intersection_update({a})
        self.items |= self.others
        self.items &= {a}
        self.items -= {a}
        self.items ^= self.others
        self.others.clear()

    @action
    def least(self) -> None:
        """The least and the greatest."""
        low = min(self.items, default=None)
        require(low is not None and low == max(x for x in self.others))


MODEL = Model("sets", Root, (), ())
