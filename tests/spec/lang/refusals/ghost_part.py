"""A part that is marked as a ghost."""

from __future__ import annotations

from ackproof.spec.lang import Ghost, Model, OrderedSort, Process, System, handler


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

    part: Ghost[Part]


MODEL = Model("ghost_part", Root, (), ())
