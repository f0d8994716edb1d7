"""A loop over the processes of a family."""

from __future__ import annotations

from ackproof.spec.lang import Each, Model, OrderedSort, Process, Sort, System, action, handler


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Part(Process):
    """A part."""

    flag: bool

    @handler
    def poke(self, flag: bool) -> None:
        """A step."""
        self.flag = flag


class Root(System):
    """The system."""

    each: Each[B, Part]

    @action
    def act(self) -> None:
        """A step."""
        for part in self.each:
            part.poke(True)


MODEL = Model("loop_over_a_family", Root, (), ())
