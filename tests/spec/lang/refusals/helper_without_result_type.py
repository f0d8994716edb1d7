"""A helper that does not say what it returns."""

from __future__ import annotations

import enum

from ackproof.spec.lang import (
    Event,
    Model,
    OrderedSort,
    Sort,
    System,
    action,
    helper,
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


@helper
def first(a: A):
    """Tell something."""
    return a == A.first()


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.flag = first(a)


MODEL = Model("helper_without_result_type", Root, (), ())
