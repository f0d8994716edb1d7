"""A method whose first parameter is not the process."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(this) -> None:
        """A step."""


MODEL = Model("method_without_self", Root, (), ())
