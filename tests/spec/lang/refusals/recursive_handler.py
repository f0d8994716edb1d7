"""Handlers that call each other without end."""

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

    @action
    def act(self) -> None:
        """A step."""
        self.one()

    @handler
    def one(self) -> None:
        """A step."""
        self.two()

    @handler
    def two(self) -> None:
        """A step."""
        self.one()


MODEL = Model("recursive_handler", Root, (), ())
