"""Two places assigned at once."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool
    other: bool

    @action
    def act(self) -> None:
        """A step."""
        self.flag, self.other = True, False


MODEL = Model("assigned_tuple", Root, (), ())
