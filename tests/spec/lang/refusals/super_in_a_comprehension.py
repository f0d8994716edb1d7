"""super() inside a comprehension."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Set, System, action, helper, require


class A(OrderedSort):
    """An ordered sort."""


class Base(System):
    """A system."""

    items: Set[A]

    @helper
    def wanted(self, a: A) -> bool:
        """A helper."""
        return a in self.items


class Root(Base):
    """The system."""

    @helper
    def wanted(self, a: A) -> bool:
        """A helper."""
        return all(super().wanted(x) for x in {a})

    @action
    def act(self, a: A) -> None:
        """A step."""
        require(self.wanted(a))


MODEL = Model("super_in_a_comprehension", Root, (), ())
