"""An event emitted for another process."""

from __future__ import annotations

from ackproof.spec.lang import Event, Model, OrderedSort, Process, System, action, handler


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


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
    def act(self, a: A) -> None:
        """A step."""
        self.part.emit(Note(a))


MODEL = Model("emit_for_another", Root, (), ())
