"""A design that turns an action into a fault."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Design,
    Event,
    Model,
    OrderedSort,
    Sort,
    System,
    action,
    fault,
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
    def act(self, f: bool) -> None:
        """A step."""
        self.flag = f


class Changed(Root):
    """A change."""

    @fault
    def act(self, f: bool) -> None:
        """Break."""
        self.flag = not f


DESIGN = Design(claim="less", replace=(Changed,))


MODEL = Model("override_of_another_kind", Root, (), ())
