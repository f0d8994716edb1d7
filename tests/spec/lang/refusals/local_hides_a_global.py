"""A local that one branch assigns, with the name of something global."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, Option, OrderedSort, Set, Sort, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


LIMIT = 3


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
        if self.flag:
            LIMIT = 2
        require(len(self.items) < LIMIT)


MODEL = Model("local_hides_a_global", Root, (), ())
