"""A choice between two maps."""

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
    others: Map[A, bool]

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.flag = a in (self.marks if self.flag else self.others)


MODEL = Model("choice_of_maps", Root, (), ())
