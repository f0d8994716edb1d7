"""A field of a record assigned."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Record,
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


class Pair(Record):
    """A record."""

    a: A
    flag: bool


class Root(System):
    """The system."""

    pair: Pair

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.pair.flag = True


MODEL = Model("record_field_assigned", Root, (), ())
