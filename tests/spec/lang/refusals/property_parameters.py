"""An invariant over steps."""

from __future__ import annotations

import enum
import sys

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Sort,
    System,
    action,
    invariant,
    properties_in,
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
        self.flag = True


@invariant
def Same(before: Root, after: Root) -> bool:
    """Nothing changes."""
    return before.flag == after.flag


MODEL = Model("property_parameters", Root, properties_in(sys.modules[__name__]), ())
