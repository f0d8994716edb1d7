"""A step under a second name."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, handler


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @handler
    def act(self) -> None:
        """A step."""
        self.flag = True

    again = act


MODEL = Model("step_with_two_names", Root, (), ())
