"""A value of another type than the variable's."""

from __future__ import annotations

import enum
from typing import Annotated

from ackproof.spec.lang import (
    Event,
    Map,
    Model,
    Option,
    OrderedSort,
    Range,
    Set,
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
    items: Set[A]
    names: Set[B]
    owed: Map[A, Set[B]]
    color: Color
    last: Option[A]
    n: Annotated[int, Range(0, 3)]

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.color = a


MODEL = Model("wrong_type", Root, (), ())
