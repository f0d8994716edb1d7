"""An integer used as an element after it may have left its range."""

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
        self.count += 1
        self.seen.add(self.count)
        self.count -= 1


MODEL = Model("integer_changed_before_use", Root, (), ())
