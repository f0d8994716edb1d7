"""An argument with a star."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Process, Set, System, action, handler


class A(OrderedSort):
    """An ordered sort."""


class Part(Process):
    """A part."""

    flag: bool

    @handler
    def poke(self, flag: bool) -> None:
        """A step."""
        self.flag = flag


class Root(System):
    """The system."""

    items: Set[A]
    part: Part

    @action
    def act(self) -> None:
        """A step."""
        self.part.poke(*self.items)


MODEL = Model("starred_argument", Root, (), ())
