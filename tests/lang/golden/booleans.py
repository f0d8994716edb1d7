"""Truth values, comparisons, and what Python lets stand for them."""

from __future__ import annotations

import enum
from typing import Annotated

from ackproof.lang import Map, Model, OrderedSort, Seq, Set, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Root(System):
    """The system."""

    left: bool
    right: bool = True
    items: Set[A]
    marks: Map[A, bool]
    line: Annotated[Seq[A], 2]
    color: Color

    @action
    def logic(self, given: bool) -> None:
        """And, or, not, and a choice."""
        require((self.left and not given) or self.right)
        self.left = given if self.right else not given
        self.right = self.left == given

    @action
    def truth(self) -> None:
        """Sets, maps and sequences are true when they have elements."""
        require(self.items or not self.marks)
        self.left = bool(self.line)
        assert not self.items

    @action
    def compare(self, x: A, y: A) -> None:
        """Comparisons, in chains too."""
        require(A.first() <= x < y)
        require(x != y and y >= x and y > x)
        require(self.color == Color.GREEN)


MODEL = Model("booleans", Root, (), ())
