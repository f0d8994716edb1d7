"""A class that changes what `==` means."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Record, System


class A(OrderedSort):
    """An ordered sort."""


class Odd(Record):
    """A record."""

    flag: bool

    def __eq__(self, other: object) -> bool:
        """Everything is equal."""
        return True


class Root(System):
    """The system."""

    odd: Odd


MODEL = Model("special_method", Root, (), ())
