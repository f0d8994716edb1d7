"""A process assigned as a whole."""

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

    left: Part
    right: Part

    @action
    def act(self) -> None:
        """A step."""
        self.left = self.right


MODEL = Model("process_assigned", Root, (), ())
