"""A class with a decorator."""

from __future__ import annotations

from dataclasses import dataclass

from ackproof.spec.lang import Model, OrderedSort, Process, System


class A(OrderedSort):
    """An ordered sort."""


@dataclass
class Member(Process):
    """A process."""

    flag: bool


class Root(System):
    """The system."""

    member: Member


MODEL = Model("decorated_class", Root, (), ())
