"""What must happen, said of an event."""

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
    eventually,
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


@eventually
def Settles(s: Root, note: Note) -> bool:
    """It is settled in the end."""
    return s.flag


MODEL = Model("eventually_of_an_event", Root, properties_in(sys.modules[__name__]), ())
