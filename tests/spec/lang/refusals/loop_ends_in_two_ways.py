"""Iterations that may end the step in two ways, in no order."""

from __future__ import annotations

from ackproof.spec.lang import (
    Each,
    Model,
    OrderedSort,
    Process,
    Sort,
    System,
    action,
    handler,
    require,
)


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Member(Process):
    """One of a family."""

    flag: bool
    broken: bool

    @handler
    def poke(self) -> None:
        """A step."""
        require(self.flag)
        assert not self.broken


class Root(System):
    """The system."""

    each: Each[B, Member]

    @action
    def act(self) -> None:
        """A step."""
        for b in B:
            self.each[b].poke()


MODEL = Model("loop_ends_in_two_ways", Root, (), ())
