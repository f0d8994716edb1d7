"""A float as a default."""

from __future__ import annotations

import enum
from typing import Annotated

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Range,
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

    n: Annotated[int, Range(0, 3)] = 0.5

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.n = 1


MODEL = Model("no_equal_default", Root, (), ())
