"""A helper called for nothing."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Sort,
    System,
    action,
    helper,
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

    @helper
    def other(self, a: A) -> bool:
        """A helper."""
        return self.flag

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.other(a)


MODEL = Model("unused_helper", Root, (), ())
