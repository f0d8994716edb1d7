"""An observer of a process that is not the system."""

from __future__ import annotations

from ackproof.spec.lang import Event, Model, OrderedSort, Process, System, on


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Member(Process):
    """A process."""

    flag: bool

    @on(Note)
    def sees(self, note: Note) -> None:
        """A step."""
        self.flag = True


class Root(System):
    """The system."""

    member: Member


MODEL = Model("observer_in_a_part", Root, (), ())
