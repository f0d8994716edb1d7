"""A design that overrides a step with other parameters."""

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

    @action
    def act(self, f: bool, g: bool) -> None:
        """Do more."""
        self.flag = f and g


DESIGN = Design(claim="more", replace=(Changed,))


MODEL = Model("override_with_other_parameters", Root, (), ())
