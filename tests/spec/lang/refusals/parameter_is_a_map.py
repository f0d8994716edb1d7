"""A parameter that is a map."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Map,
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

    flag: bool

    @action
    def act(self, m: Map[A, bool]) -> None:
        """A step."""
        self.flag = True


MODEL = Model("parameter_is_a_map", Root, (), ())
