"""A helper with a bare return."""

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
    def act(self) -> None:
        """A step."""
        require(self.some())

    @helper
    def some(self) -> bool:
        """A helper."""
        return


MODEL = Model("helper_returns_nothing", Root, (), ())
