"""A step that binds a name outside of it."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


def build() -> type[System]:
    """Return a system."""
    count = 0

    class Root(System):
        """The system."""

        flag: bool

        @action
        def act(self) -> None:
            """A step."""
            nonlocal count
            count = 1

    return Root


MODEL = Model("nonlocal_statement", build(), (), ())
