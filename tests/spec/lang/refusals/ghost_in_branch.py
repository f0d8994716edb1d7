"""A branch on a ghost that changes behaviour."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Ghost,
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
    history: Ghost[Set[A]]
    flag: bool

    @action
    def act(self, a: A) -> None:
        """A step."""
        if a in self.history:
            self.flag = True


MODEL = Model("ghost_in_branch", Root, (), ())
