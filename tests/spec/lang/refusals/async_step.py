"""A step that is a coroutine."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    async def act(self) -> None:
        """A step."""


MODEL = Model("async_step", Root, (), ())
