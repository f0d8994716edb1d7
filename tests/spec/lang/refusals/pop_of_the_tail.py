"""The last element of a sequence taken."""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.lang import Model, OrderedSort, Seq, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    line: Annotated[Seq[A], 2]

    @action
    def act(self) -> None:
        """A step."""
        self.line.pop()


MODEL = Model("pop_of_the_tail", Root, (), ())
