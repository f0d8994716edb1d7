"""Two observers of one event."""

from __future__ import annotations

from ackproof.spec.lang import Event, Model, OrderedSort, System, on


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Root(System):
    """The system."""

    flag: bool

    @on(Note)
    def one(self, note: Note) -> None:
        """A step."""
        self.flag = True

    @on(Note)
    def two(self, note: Note) -> None:
        """A step."""
        self.flag = False


MODEL = Model("two_observers", Root, (), ())
