"""A family whose members are no processes."""

from __future__ import annotations

from ackproof.spec.lang import Each, Model, Sort, System


class B(Sort):
    """An unordered sort."""


class Root(System):
    """The system."""

    each: Each[B, bool]


MODEL = Model("family_of_values", Root, (), ())
