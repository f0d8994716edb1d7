"""A loop over a set that a step called in it changes."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Set, System, action, handler


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    items: Set[A]

    @action
    def act(self) -> None:
        """A step."""
        for x in self.items:
            self.drop(x)

    @handler
    def drop(self, x: A) -> None:
        """A step."""
        self.items.discard(x)


MODEL = Model("live_iteration_through_a_call", Root, (), ())
