"""A set that is declared to hold sets."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Set, System


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    items: Set[Set[A]]


MODEL = Model("set_of_sets", Root, (), ())
