"""Helpers are inlined: locals become lets, branches become choices."""

from __future__ import annotations

from ackproof.lang import Map, Model, Option, OrderedSort, Set, System, action, helper, require


class A(OrderedSort):
    """An ordered sort."""


LIMIT = 2


@helper
def between(low: A, x: A, high: A) -> bool:
    """A function of a module."""
    return low <= x <= high


@helper
def marked(process: Root, a: A) -> bool:
    """A function of a process."""
    return process.marks[a]


class Root(System):
    """The system."""

    items: Set[A]
    marks: Map[A, bool]
    flag: bool

    @helper
    def cutoff(self, others: Set[A]) -> Option[A]:
        """Locals, branches, early returns."""
        low = min(others, default=None)
        if low is None:
            return None
        limit = low
        if limit in self.items:
            return A.succ(limit)
        return limit

    @helper
    def size(self) -> int:
        """A number, whose range is that of what is returned."""
        if self.flag:
            return 1
        return LIMIT

    @action
    def use(self, a: A) -> None:
        """Arguments are evaluated once, before."""
        require(between(A.first(), a, max(self.items)))
        require(self.cutoff(self.items) == a and marked(self, a))
        require(self.cutoff({x for x in self.items if self.marks[x]}) is None)
        self.flag = self.size() > 1


MODEL = Model("helpers", Root, (), ())
