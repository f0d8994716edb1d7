"""A record that contains itself."""

from __future__ import annotations

from ackproof.spec.lang import Model, Option, OrderedSort, Record, System


class A(OrderedSort):
    """An ordered sort."""


class Chain(Record):
    """A record."""

    rest: Option[Chain]


class Root(System):
    """The system."""

    chain: Option[Chain]


MODEL = Model("record_in_itself", Root, (), ())
