"""Two classes of one name."""

from __future__ import annotations

import enum

from ackproof.spec.lang import Model, System


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


def another() -> type:
    """Return another enum of that name."""

    class Color(enum.Enum):
        """Another enum."""

        BLUE = 1

    return Color


Other = another()


class Root(System):
    """The system."""

    color: Color
    other: Other


MODEL = Model("two_classes_of_a_name", Root, (), ())
