"""Bounded sequences."""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Model, Option, OrderedSort, Seq, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    line: Annotated[Seq[A], 2]
    last: Option[A]

    @action
    def put(self, a: A) -> None:
        """Add at the end."""
        require(len(self.line) < 2 and a not in self.line)
        self.line.append(a)

    @action
    def take(self) -> None:
        """Take the head."""
        require(self.line)
        self.last = self.line[0]
        self.line.pop(0)

    @action
    def drop(self) -> None:
        """Forget all."""
        self.line.clear()


MODEL = Model("sequences", Root, (), ())
