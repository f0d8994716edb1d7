"""A step called by nearly its name."""

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
    def act(self, f: bool) -> None:
        """A step."""
        self.kep(f)

    @handler
    def keep(self, f: bool) -> None:
        """A step."""
        self.flag = f


MODEL = Model("misspelled_step", Root, (), ())
