"""A function that the language does not know."""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.lang import Model, OrderedSort, Range, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    count: Annotated[int, Range(0, 3)]

    @action
    def act(self) -> None:
        """A step."""
        require(abs(self.count) == 1)


MODEL = Model("unknown_function", Root, (), ())
