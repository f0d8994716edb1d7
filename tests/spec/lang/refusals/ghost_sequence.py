"""A ghost that is a sequence."""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.lang import Ghost, Model, OrderedSort, Seq, System


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    log: Ghost[Annotated[Seq[A], 3]]


MODEL = Model("ghost_sequence", Root, (), ())
