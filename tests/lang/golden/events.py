"""Events, and the observer that sees them."""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import (
    Event,
    Ghost,
    Map,
    Model,
    OrderedSort,
    Process,
    Range,
    Set,
    System,
    action,
    handler,
    on,
)


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Teller(Process):
    """A part."""

    @handler
    def tell(self, a: A) -> None:
        """A step that emits for its process."""
        self.emit(Note(A.first()))


class Root(System):
    """The system."""

    seen: Ghost[Set[A]]
    count: Ghost[Map[A, Annotated[int, Range(0, 2)]]]

    @on(Note)
    def sees(self, note: Note) -> None:
        """An observer."""
        self.seen.add(note.a)
        if self.count[note.a] < 2:
            self.count[note.a] += 1

    @action(fair="strong")
    def tell(self, a: A) -> None:
        """A step that emits."""
        self.emit(Note(a=a))
        self.part.tell(a)

    part: Teller


MODEL = Model("events", Root, (), ())
