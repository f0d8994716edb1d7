"""The class of all sorts used as a sort."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Set, System


class Root(System):
    """The system."""

    one: Set[OrderedSort]


MODEL = Model("sort_without_a_name", Root, (), ())
