"""A helper that calls itself."""

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


@helper
def deep(a: A) -> bool:
    """Tell something."""
    return deep(a)


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.flag = deep(a)


MODEL = Model("recursive_helper", Root, (), ())
