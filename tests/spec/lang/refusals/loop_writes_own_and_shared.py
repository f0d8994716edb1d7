"""An entry that is one iteration's own, and that all the others write too."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    marks: Map[A, bool]

    @action
    def act(self, a: A) -> None:
        """A step."""
        for x in A:
            self.marks[a] = False
            self.marks[x] = True


MODEL = Model("loop_writes_own_and_shared", Root, (), ())
