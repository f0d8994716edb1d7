"""Claims about states, about steps, and about events."""

from __future__ import annotations

from ackproof.lang import (
    Event,
    Ghost,
    Model,
    OrderedSort,
    Process,
    Set,
    System,
    action,
    handler,
    invariant,
    properties_in,
    reachable,
    step_property,
)


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

    items: Set[A]
    ghost: Ghost[Set[A]]
    part: Part

    @action
    def tell(self, a: A) -> None:
        """A step."""
        self.items.add(a)
        self.emit(Note(a))

    @action
    def untell(self, b: bool, a: A) -> None:
        """Another step."""
        self.items.discard(a)
        self.part.poke(b)


@invariant
def Small(s: Root) -> bool:
    """A claim about states."""
    low = min(s.items, default=None)
    if low is None:
        return True
    return low == A.first() or s.part.flag


@step_property
def Grows(before: Root, after: Root) -> bool:
    """A claim about steps."""
    return before.items <= after.items


@step_property
def Told(before: Root, after: Root, note: Note) -> bool:
    """A claim about events."""
    return note.a in after.items and note.a not in before.ghost


@step_property(of="tell")
def Obeyed(before: Root, after: Root, a: A) -> bool:
    """A claim about what was asked for."""
    return a in after.items


@step_property(of=("tell", "untell"))
def Named(before: Root, after: Root, note: Note, a: A) -> bool:
    """A claim about what was asked for, and an event."""
    return note.a == a


@reachable
def Full(s: Root) -> bool:
    """A situation."""
    return s.items == set(A)


@reachable
def Twice(before: Root, after: Root, note: Note) -> bool:
    """A situation in which an event is emitted."""
    return note.a in before.items


MODEL = Model("properties", Root, properties_in(Small, Grows, Told, Obeyed, Named, Full, Twice), ())
