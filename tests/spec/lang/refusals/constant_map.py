"""A constant that is a map."""

from __future__ import annotations

from ackproof.spec.lang import Const, Map, Model, OrderedSort, System


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    limits: Const[Map[A, bool]]


MODEL = Model("constant_map", Root, (), ())
