"""Options, and what is known of them."""

from __future__ import annotations

import enum

from ackproof.lang import Model, Option, OrderedSort, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class Color(enum.Enum):
    """An enum."""

    RED = 1
    GREEN = 2


class Root(System):
    """The system."""

    chosen: Option[A]
    other: Option[A] = A.first()
    color: Option[Color]

    @action
    def use(self, a: A) -> None:
        """What was tested is a value."""
        if self.chosen is not None and self.chosen < a:
            self.other = self.chosen
        self.chosen = a
        self.color = None

    @action
    def equal(self) -> None:
        """Options are compared with values, and with each other."""
        require(self.chosen == A.first() and self.chosen == self.other)
        require(self.color != Color.RED)

    @action
    def step(self) -> None:
        """What follows an element, and a choice with None."""
        if self.other is None:
            return
        following = A.succ(self.other)
        self.chosen = None if following is None else following

    @action
    def asserted(self) -> None:
        """An assertion tells, too."""
        assert self.chosen is not None
        require(self.chosen == self.chosen)
        self.other = A.succ(self.chosen)


MODEL = Model("options", Root, (), ())
