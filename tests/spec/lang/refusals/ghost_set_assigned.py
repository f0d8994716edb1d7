"""A ghost set that is replaced, which switching it off could not prevent."""

from __future__ import annotations

from ackproof.spec.lang import Ghost, Model, OrderedSort, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    seen: Ghost[Set[A]]

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.seen = {a}


MODEL = Model("ghost_set_assigned", Root, (), ())
