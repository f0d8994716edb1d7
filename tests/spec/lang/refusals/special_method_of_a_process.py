"""A process with a constructor of its own."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Process, System


class A(OrderedSort):
    """An ordered sort."""


class Member(Process):
    """A process."""

    flag: bool

    def __init__(self) -> None:
        """Start differently."""
        self.flag = True


class Root(System):
    """The system."""

    member: Member


MODEL = Model("special_method_of_a_process", Root, (), ())
