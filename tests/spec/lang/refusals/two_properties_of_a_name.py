"""Two properties of one name."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, invariant, properties_in


class A(OrderedSort):
    """An ordered sort."""


@invariant
def Holds_(s: Root) -> bool:
    """A claim."""
    return True


class Root(System):
    """The system."""

    flag: bool


FIRST = Holds_


@invariant
def Other(s: Root) -> bool:
    """A claim."""
    return s.flag


Other.__name__ = "Holds_"

MODEL = Model("two_properties_of_a_name", Root, properties_in(FIRST, Other), ())
