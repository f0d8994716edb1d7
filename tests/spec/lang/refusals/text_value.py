"""A comparison with a piece of text."""

from __future__ import annotations

import enum

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Root(System):
    """The system."""

    color: Color
    flag: bool

    @action
    def act(self) -> None:
        """A step."""
        self.flag = self.color == "red"


MODEL = Model("text_value", Root, (), ())
