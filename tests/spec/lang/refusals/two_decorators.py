"""A step with two decorators."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action, handler


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    @handler
    def act(self) -> None:
        """A step."""


MODEL = Model("two_decorators", Root, (), ())
