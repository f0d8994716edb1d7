"""A map that holds sequences."""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.lang import Map, Model, OrderedSort, Seq, System


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    lines: Map[A, Annotated[Seq[A], 2]]


MODEL = Model("map_of_sequences", Root, (), ())
