"""A variable of an unordered sort without a first value."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Sort,
    System,
    action,
)


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Note(Event):
    """An event."""

    a: A


class Root(System):
    """The system."""

    b: B

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.b = self.b


MODEL = Model("unordered_first_value", Root, (), ())
