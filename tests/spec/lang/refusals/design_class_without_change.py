"""A design whose class changes nothing."""

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
    handler,
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
        self.keep(f)

    @handler
    def keep(self, f: bool) -> None:
        """A step."""
        self.flag = f


class Changed(Root):
    """A change."""


DESIGN = Design(claim="more", replace=(Changed,))


MODEL = Model("design_class_without_change", Root, (), ())
