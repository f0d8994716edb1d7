"""A step with the name of a method that every process has."""

from __future__ import annotations

from ackproof.spec.lang import Event, Model, OrderedSort, System, handler


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Root(System):
    """The system."""

    flag: bool

    @handler
    def emit(self, event: Note) -> None:  # type: ignore[override]
        """A step."""
        self.flag = True


MODEL = Model("step_named_emit", Root, (), ())
