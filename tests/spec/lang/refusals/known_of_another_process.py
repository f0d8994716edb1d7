"""A variable that may be the one of another name for its process."""

from __future__ import annotations

from ackproof.spec.lang import Each, Model, Option, OrderedSort, Process, Set, Sort, System, action


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Member(Process):
    """A member of a family."""

    chosen: Option[A]


class Root(System):
    """The system."""

    each: Each[B, Member]
    items: Set[A]

    @action
    def act(self, b: B, c: B) -> None:
        """A step."""
        one = self.each[b]
        if one.chosen is not None:
            self.each[c].chosen = None
            self.items.add(one.chosen)


MODEL = Model("known_of_another_process", Root, (), ())
