"""A loop over the keys of a map that changes its entries."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    marks: Map[A, bool]

    @action
    def act(self) -> None:
        """A step."""
        for x in self.marks:
            self.marks[x] = False


MODEL = Model("live_iteration_over_a_map", Root, (), ())
