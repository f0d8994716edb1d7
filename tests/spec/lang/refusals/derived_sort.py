"""A sort that extends another."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Set, System


class A(OrderedSort):
    """An ordered sort."""


class C(A):
    """A sort."""


class Root(System):
    """The system."""

    some: Set[C]


MODEL = Model("derived_sort", Root, (), ())
