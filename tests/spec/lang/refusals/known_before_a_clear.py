"""An entry of a map that was cleared since it was tested."""

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
    def act(self, a: A) -> None:
        """A step."""
        if self.last[a] is not None:
            self.last.clear()
            self.items.add(self.last[a])


MODEL = Model("known_before_a_clear", Root, (), ())
