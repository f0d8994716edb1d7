"""An observer that emits what it observes."""

from __future__ import annotations

from ackproof.spec.lang import Event, Model, OrderedSort, System, action, on


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Root(System):
    """The system."""

    flag: bool

    @on(Note)
    def sees(self, note: Note) -> None:
        """A step."""
        self.emit(Note(note.a))

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.emit(Note(a))


MODEL = Model("observer_emits_its_event", Root, (), ())
