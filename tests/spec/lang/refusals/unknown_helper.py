"""A helper that the process does not have."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Process, System, action, handler


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

    flag: bool
    part: Part

    @action
    def act(self) -> None:
        """A step."""
        self.flag = self.part.ready()


MODEL = Model("unknown_helper", Root, (), ())
