"""Parallel loops, in order where they emit."""

from __future__ import annotations

from ackproof.lang import Event, Map, Model, OrderedSort, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Note(Event):
    """An event."""

    a: A


class Root(System):
    """The system."""

    marks: Map[A, bool]
    items: Set[A]
    others: Set[A]
    flag: bool

    @action
    def parallel(self, a: A) -> None:
        """Iterations have their own entries, and may add to what is shared."""
        for x in self.items:
            if self.marks[x]:
                self.others.add(x)
            self.marks[x] = x == a
        for x in set(self.items):
            self.items.discard(x)
        for x in A:
            if x in self.others:
                self.others.discard(x)
                self.flag = True

    @action
    def ordered(self) -> None:
        """Events come in order."""
        for x in sorted(self.items | self.others):
            self.emit(Note(x))

    @action
    def over_keys(self) -> None:
        """The keys of a map, copied."""
        for x in set(self.marks):
            self.marks[x] = False


MODEL = Model("loops", Root, (), ())
