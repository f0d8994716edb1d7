"""Two classes of a design in the place of one."""

from __future__ import annotations

from ackproof.spec.lang import Design, Model, OrderedSort, Process, System, handler


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


class One(Part):
    """A change."""


class Two(Part):
    """A change."""


DESIGN = Design(claim="none", replace=(One, Two))

MODEL = Model("two_replacements", Root, (), ())
