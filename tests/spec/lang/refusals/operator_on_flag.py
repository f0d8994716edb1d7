"""An assignment operator on a truth value."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self) -> None:
        """A step."""
        self.flag |= True


MODEL = Model("operator_on_flag", Root, (), ())
