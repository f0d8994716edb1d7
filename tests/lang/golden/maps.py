"""Maps: total, with a default, and sets of their keys."""

from __future__ import annotations

import enum

from ackproof.lang import Map, Model, Option, OrderedSort, Set, Sort, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Root(System):
    """The system."""

    marks: Map[A, bool]
    colors: Map[B, Color]
    owed: Map[A, Set[B]]
    grid: Map[A, Map[B, bool]]
    last: Map[B, Option[A]]

    @action
    def entries(self, a: A, b: B) -> None:
        """Entries are read and written."""
        require(self.marks[a] and self.colors[b] == Color.RED)
        self.marks[a] = False
        self.owed[a].add(b)
        self.owed[a] |= {b}
        self.owed[a] = {x for x in B if not self.grid[a][x]}
        self.grid[a][b] = True
        self.grid[a].clear()
        self.owed.clear()
        self.last[b] = a

    @action
    def keys(self, a: A) -> None:
        """A map stands for its keys whose value is not the default."""
        require(a in self.marks and self.marks)
        require(len(self.owed) == 1 and min(self.owed) == a)
        require(all(b not in self.colors for b in self.grid[a]))
        self.owed[a] = set(self.colors) - set(self.last)

    @action
    def known(self, b: B) -> None:
        """What is known of an entry is known of that entry only."""
        entry = self.last[b]
        if entry is not None and self.last[b] == entry:
            self.marks[entry] = True


MODEL = Model("maps", Root, (), ())
