"""An integer that may be no element."""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.lang import Model, OrderedSort, Range, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    count: Annotated[int, Range(0, 3)]
    seen: Set[Annotated[int, Range(0, 3)]]

    @action
    def act(self) -> None:
        """A step."""
        self.seen.add(self.count + 1)


MODEL = Model("integer_out_of_range", Root, (), ())
