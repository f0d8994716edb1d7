"""A process that extends another of the same name."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Process, System


class A(OrderedSort):
    """An ordered sort."""


class Node(Process):
    """A process."""

    flag: bool


Older = Node


class Node(Older):  # type: ignore[no-redef]
    """A process."""


class Root(System):
    """The system."""

    node: Node


MODEL = Model("same_name_as_ancestor", Root, (), ())
