"""A helper function that calls super()."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, System, action, helper, require


class A(OrderedSort):
    """An ordered sort."""


@helper
def other(a: A) -> bool:
    """A helper."""
    return super().other(a)


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self, a: A) -> None:
        """A step."""
        require(other(a))


MODEL = Model("super_in_a_function", Root, (), ())
