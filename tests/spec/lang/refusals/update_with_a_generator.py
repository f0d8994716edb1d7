"""A set updated by a generator that reads it."""

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
        self.items.update(x for x in A if len(self.items) < 2)


MODEL = Model("update_with_a_generator", Root, (), ())
