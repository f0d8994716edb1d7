"""An observer of one event that takes another."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Set,
    Sort,
    System,
    on,
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

    @on(Note)
    def see(self, a: A) -> None:
        """Observe."""
        self.items.add(a)


MODEL = Model("observer_parameters", Root, (), ())
