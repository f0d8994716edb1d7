"""A set of sets, built in an expression."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, Option, OrderedSort, Set, Sort, System, action, require


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
        require({self.items} == {self.items})


MODEL = Model("set_of_sets_built", Root, (), ())
