"""A change to a value that is no state."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    items: Set[A]

    @action
    def act(self, a: A, some: Set[A]) -> None:
        """A step."""
        some.add(a)


MODEL = Model("value_changed", Root, (), ())
