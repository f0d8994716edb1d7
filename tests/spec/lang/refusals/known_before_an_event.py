"""An option that an observer may have changed since it was tested."""

from __future__ import annotations

from ackproof.spec.lang import Event, Map, Model, Option, OrderedSort, Set, System, action, on


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Root(System):
    """The system."""

    chosen: Option[A]
    last: Map[A, Option[A]]
    items: Set[A]
    flag: bool

    @action
    def act(self, a: A) -> None:
        """A step."""
        if self.chosen is not None:
            self.emit(Note(a))
            self.items.add(self.chosen)

    @on(Note)
    def sees(self, note: Note) -> None:
        """A step."""
        self.chosen = None


MODEL = Model("known_before_an_event", Root, (), ())
