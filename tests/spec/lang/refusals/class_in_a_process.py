"""A class inside a process."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    class Inner:
        """A class."""


MODEL = Model("class_in_a_process", Root, (), ())
