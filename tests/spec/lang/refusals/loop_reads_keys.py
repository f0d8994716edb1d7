"""An iteration that asks a map for its keys while others change them."""

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
        for x in A:
            self.marks[x] = bool(self.marks)


MODEL = Model("loop_reads_keys", Root, (), ())
