"""A Python property on a process."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @property
    def other(self) -> bool:
        """A property."""
        return self.flag


MODEL = Model("property_of_a_process", Root, (), ())
