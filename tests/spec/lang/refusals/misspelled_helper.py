"""A helper called by nearly its name."""

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

    @action
    def act(self) -> None:
        """A step."""
        self.flag = self.is_fre()

    @helper
    def is_free(self) -> bool:
        """Tell something."""
        return not self.flag


MODEL = Model("misspelled_helper", Root, (), ())
