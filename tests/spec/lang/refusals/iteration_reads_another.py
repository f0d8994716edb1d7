"""An iteration that reads what another wrote."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Map,
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
    seen: Map[A, bool]

    @action
    def act(self, a: A) -> None:
        """A step."""
        for x in self.items:
            if self.seen[a]:
                self.seen[x] = True


MODEL = Model("iteration_reads_another", Root, (), ())
