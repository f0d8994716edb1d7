"""A product that no machine word holds."""

from __future__ import annotations

from ackproof.spec.lang import Const, Model, OrderedSort, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    one: Const[int]

    @action
    def act(self) -> None:
        """A step."""
        require(self.one * self.one * self.one < 8)


MODEL = Model("integer_too_large", Root, (), ())
