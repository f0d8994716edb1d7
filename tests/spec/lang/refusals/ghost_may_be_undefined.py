"""A ghost computed from ghosts, which may be switched off and then have no least."""

from __future__ import annotations

from ackproof.spec.lang import Ghost, Model, OrderedSort, Set, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    seen: Ghost[Set[A]]
    least: Ghost[Set[A]]

    @action
    def act(self) -> None:
        """A step."""
        self.least.add(min(self.seen))


MODEL = Model("ghost_may_be_undefined", Root, (), ())
