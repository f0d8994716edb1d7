"""A variable with the name of a method that every process has."""

from __future__ import annotations

from ackproof.spec.lang import Model, System


class Root(System):
    """The system."""

    emit: bool


MODEL = Model("variable_named_emit", Root, (), ())
