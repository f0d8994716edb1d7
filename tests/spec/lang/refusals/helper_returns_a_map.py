"""A helper that returns a map."""

from __future__ import annotations

from ackproof.spec.lang import (
    Map,
    Model,
    Option,
    OrderedSort,
    Set,
    Sort,
    System,
    action,
    helper,
    require,
)


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
        require(self.some()[a])

    @helper
    def some(self) -> Map[A, bool]:
        """A helper."""
        return self.marks


MODEL = Model("helper_returns_a_map", Root, (), ())
