"""A unary operator that the language does not have."""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.lang import Model, OrderedSort, Range, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    count: Annotated[int, Range(-3, 3)]

    @action
    def act(self) -> None:
        """A step."""
        self.count = -self.count


MODEL = Model("negated_integer", Root, (), ())
