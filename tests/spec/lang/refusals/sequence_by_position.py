"""An element of a sequence other than its head."""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.lang import Model, OrderedSort, Seq, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    line: Annotated[Seq[A], 2]

    @action
    def act(self, a: A) -> None:
        """A step."""
        require(self.line[1] == a)


MODEL = Model("sequence_by_position", Root, (), ())
