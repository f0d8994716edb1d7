"""An entry that may be the one that was written to since it was tested."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, Option, OrderedSort, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    chosen: Option[A]
    last: Map[A, Option[A]]
    items: Set[A]
    flag: bool

    @action
    def act(self, a: A, c: A) -> None:
        """A step."""
        if self.last[a] is not None:
            self.last[c] = None
            self.items.add(self.last[a])


MODEL = Model("known_of_another_entry", Root, (), ())
