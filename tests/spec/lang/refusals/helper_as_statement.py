"""A helper function called as a statement."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, Option, OrderedSort, Set, Sort, System, action, helper


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


@helper
def other(a: A) -> bool:
    """A helper."""
    return True


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
        other(a)


MODEL = Model("helper_as_statement", Root, (), ())
