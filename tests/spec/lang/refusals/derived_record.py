"""An event that extends another."""

from __future__ import annotations

from ackproof.spec.lang import Event, Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Second(Note):
    """An event."""


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.emit(Second(a))


MODEL = Model("derived_record", Root, (), ())
