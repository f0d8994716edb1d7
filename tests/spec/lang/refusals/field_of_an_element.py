"""A field of something that has none."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self, a: A) -> None:
        """A step."""
        self.flag = a.flag


MODEL = Model("field_of_an_element", Root, (), ())
