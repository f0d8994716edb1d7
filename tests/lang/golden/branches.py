"""Branches, early returns, locals that every branch assigns."""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Model, OrderedSort, Range, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool
    count: Annotated[int, Range(0, 3)]
    items: Set[A]

    @action
    def early(self, a: A) -> None:
        """An early return is the other branch."""
        if a in self.items:
            if self.flag:
                return
            self.flag = True
        elif self.count == 0:
            self.count = 1
            return
        self.items.add(a)

    @action
    def nested(self, a: A) -> None:
        """A return within a branch that returns."""
        if self.flag:
            if a in self.items:
                return
            self.count = 1
            return
        self.items.add(a)

    @action
    def joined(self, a: A) -> None:
        """A local is assigned by every branch."""
        if self.flag:
            found = {a}
            number = 1
        elif self.count > 1:
            found = set(self.items)
            number = 2
        else:
            found = self.items - {a}
            number = 3
        self.items = set(found)
        self.count = number

    @action
    def nothing(self) -> None:
        """A step that does nothing."""


MODEL = Model("branches", Root, (), ())
