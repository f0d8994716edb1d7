"""A local that one branch does not assign."""

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
        if self.flag:
            x = a
        self.items.add(x)


MODEL = Model("local_without_a_value", Root, (), ())
