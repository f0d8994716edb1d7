"""A name that its module does not have."""

from __future__ import annotations

import sys

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self) -> None:
        """A step."""
        self.flag = sys.nothing_of_this_name


MODEL = Model("module_without_name", Root, (), ())
