"""A decorator that is not the language's."""

from __future__ import annotations

from functools import cache

from ackproof.spec.lang import Model, OrderedSort, System


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @cache
    def act(self) -> None:
        """A step."""


MODEL = Model("unknown_decorator", Root, (), ())
