"""A function of Python that is outside the language."""

from __future__ import annotations

from math import gcd
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
        require(gcd(self.count, 2) == 1)


MODEL = Model("call_of_something_unknown", Root, (), ())
