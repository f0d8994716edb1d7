"""A decorator that wraps a step."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


def twice(function: Callable[..., Any]) -> Callable[..., Any]:
    """Call a function twice."""

    @wraps(function)
    def inner(self: Any) -> None:
        function(self)
        function(self)

    return inner


class Root(System):
    """The system."""

    flag: bool

    @action
    @twice
    def act(self) -> None:
        """A step."""
        self.flag = not self.flag


MODEL = Model("unknown_wrapper", Root, (), ())
