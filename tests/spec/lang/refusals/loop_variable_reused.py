"""A loop variable that is a parameter already."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, Option, OrderedSort, Set, Sort, System, action


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Root(System):
    """The system."""

    items: Set[A]
    members: Set[B]
    marks: Map[A, bool]
    flag: bool
    chosen: Option[A]

    @action
    def act(self, a: A) -> None:
        """A step."""
        for a in set(self.items):
            self.flag = True
        self.items.discard(a)


MODEL = Model("loop_variable_reused", Root, (), ())
