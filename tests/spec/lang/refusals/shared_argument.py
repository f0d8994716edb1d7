"""A set of the state handed to a step that changes it."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Set,
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

    items: Set[A]

    @handler
    def other(self, s: Set[A]) -> None:
        """A step."""
        self.items.clear()
        self.items |= s

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.other(self.items)


MODEL = Model("shared_argument", Root, (), ())
