"""Iterations that add and discard elements."""

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
    done: Set[A]

    @action
    def act(self, a: A) -> None:
        """A step."""
        for x in self.items:
            self.done.add(x)
            self.done.discard(a)


MODEL = Model("add_and_discard", Root, (), ())
