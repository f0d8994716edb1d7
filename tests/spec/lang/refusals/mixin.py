"""A process that inherits from a class which is no process."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Process, System


class A(OrderedSort):
    """An ordered sort."""


class Mixin:
    """A class."""


class Member(Mixin, Process):
    """A process."""

    flag: bool


class Root(System):
    """The system."""

    member: Member


MODEL = Model("mixin", Root, (), ())
