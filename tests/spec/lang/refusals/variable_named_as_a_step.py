"""A variable with the name of a step."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Base(System):
    """A system."""

    @action
    def act(self) -> None:
        """A step."""


class Root(Base):
    """The system."""

    act: bool


MODEL = Model("variable_named_as_a_step", Root, (), ())
