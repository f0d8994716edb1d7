"""A minimum that may be undefined, where `any` may stop before it."""

from __future__ import annotations

from ackproof.spec.lang import Map, Model, OrderedSort, Set, Sort, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Root(System):
    """The system."""

    of: Map[B, Set[A]]

    @action
    def act(self, a: A) -> None:
        """A step."""
        require(any(min(self.of[b]) == a for b in B))


MODEL = Model("undefined_in_quantifier", Root, (), ())
