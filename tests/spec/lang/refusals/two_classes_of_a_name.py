"""Two classes of one name."""

from __future__ import annotations

import enum

from ackproof.spec.lang import Model, OrderedSort, Process, System


class A(OrderedSort):
    """An ordered sort."""


class Left(Process):
    """A process."""

    color: Color


One = Color


class Color(enum.Enum):  # type: ignore[no-redef]
    """Another enum."""

    BLUE = 1


class Root(System):
    """The system."""

    color: Color
    one: One


MODEL = Model("two_classes_of_a_name", Root, (), ())
