"""A helper with a statement that computes nothing."""

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
        for x in self.items:
            return True
        return False


MODEL = Model("helper_with_a_loop", Root, (), ())
