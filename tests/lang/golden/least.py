"""The least element: of a set, of a map's keys, of a sort."""

from __future__ import annotations

from ackproof.lang import (
    Map,
    Model,
    Option,
    OrderedSort,
    Set,
    System,
    action,
    helper,
    least,
    require,
)


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    items: Set[A]
    marks: Map[A, bool]
    last: Option[A]

    @helper
    def head(self) -> Option[A]:
        """Return the least item."""
        return least(self.items)

    @action
    def take(self, a: A) -> None:
        """Take the least item."""
        require(self.head() == a)
        self.items.discard(a)
        self.last = least(self.marks)

    @action
    def begin(self) -> None:
        """Begin with the first of all."""
        self.last = least(A)


MODEL = Model("least", Root, (), ())
