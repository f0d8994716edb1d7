"""A choice between a set and None."""

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
    def act(self) -> None:
        """A step."""
        x = self.items if self.flag else None


MODEL = Model("none_beside_a_set", Root, (), ())
