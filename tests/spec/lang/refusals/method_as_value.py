"""A method where a value is needed."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action, helper


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self) -> None:
        """A step."""
        self.flag = self.other

    @helper
    def other(self) -> bool:
        """A helper."""
        return True


MODEL = Model("method_as_value", Root, (), ())
