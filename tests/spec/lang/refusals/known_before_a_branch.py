"""An option that a branch may have set to None since it was tested."""

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
    def act(self) -> None:
        """A step."""
        if self.chosen is not None:
            if self.flag:
                self.chosen = None
            self.items.add(self.chosen)


MODEL = Model("known_before_a_branch", Root, (), ())
