"""A process that contains itself."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Process, System


class A(OrderedSort):
    """An ordered sort."""


class Node(Process):
    """A process."""

    inner: Node


class Root(System):
    """The system."""

    node: Node


MODEL = Model("process_in_itself", Root, (), ())
