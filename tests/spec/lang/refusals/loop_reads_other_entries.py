"""An iteration that reads entries which other iterations write."""

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
            self.marks[x] = any(self.marks[y] for y in A)


MODEL = Model("loop_reads_other_entries", Root, (), ())
