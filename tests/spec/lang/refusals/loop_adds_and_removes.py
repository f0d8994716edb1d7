"""Iterations of which some add to a set and some remove from it."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, OrderedSort, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    items: Set[A]
    next: Map[A, Set[A]]
    last: Map[A, Set[A]]

    @action
    def act(self) -> None:
        """A step."""
        for x in set(self.items):
            self.items |= self.next[x]
            self.items -= self.last[x]


MODEL = Model("loop_adds_and_removes", Root, (), ())
