"""A property that takes the least of a set that may be empty."""

from __future__ import annotations

import enum
import sys

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Set,
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

    items: Set[A]

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.items.add(a)


@invariant
def StartsAtFirst(s: Root) -> bool:
    """The least is the first."""
    return min(s.items) == A.first()


MODEL = Model("property_may_be_undefined", Root, properties_in(sys.modules[__name__]), ())
