"""A design whose class extends nothing."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Design,
    Event,
    Model,
    OrderedSort,
    Process,
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

    @action
    def act(self, f: bool) -> None:
        """A step."""
        self.flag = f


class Changed(Process):
    """A change of nothing."""

    flag: bool


DESIGN = Design(claim="none", replace=(Changed,))


MODEL = Model("design_of_no_process", Root, (), ())
