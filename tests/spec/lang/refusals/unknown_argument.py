"""An argument that the step does not have."""

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

    part: Part

    @action
    def act(self) -> None:
        """A step."""
        self.part.poke(flg=True)


MODEL = Model("unknown_argument", Root, (), ())
