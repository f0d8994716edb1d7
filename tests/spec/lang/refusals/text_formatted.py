"""A piece of text that is computed."""

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
    def act(self, a: A) -> None:
        """A step."""
        require(a == f"{a}")


MODEL = Model("text_formatted", Root, (), ())
