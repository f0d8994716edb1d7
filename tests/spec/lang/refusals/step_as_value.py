"""A step used for its value."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Sort,
    System,
    action,
    handler,
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

    flag: bool

    @handler
    def other(self, a: A) -> None:
        """A step."""
        self.flag = True

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.flag = self.other(a)


MODEL = Model("step_as_value", Root, (), ())
