"""A parameter whose annotation names nothing."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self, x: Nothing) -> None:
        """A step."""
        self.flag = True


MODEL = Model("parameter_annotation_unknown", Root, (), ())
