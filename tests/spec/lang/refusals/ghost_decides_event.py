"""An event that happens only if a ghost says so."""

from __future__ import annotations

from ackproof.spec.lang import Event, Ghost, Model, OrderedSort, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Root(System):
    """The system."""

    seen: Ghost[Set[A]]

    @action
    def act(self, a: A) -> None:
        """A step."""
        if a in self.seen:
            self.emit(Note(a))


MODEL = Model("ghost_decides_event", Root, (), ())
