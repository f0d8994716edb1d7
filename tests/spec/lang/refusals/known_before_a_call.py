"""An option that a step may have changed since it was tested."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, Option, OrderedSort, Set, System, action, handler


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
            self.forget()
            self.items.add(self.chosen)

    @handler
    def forget(self) -> None:
        """A step."""
        self.chosen = None


MODEL = Model("known_before_a_call", Root, (), ())
