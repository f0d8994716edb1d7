"""All, any, and conditions of several variables."""

from __future__ import annotations

from ackproof.lang import Map, Model, Option, OrderedSort, Set, Sort, System, action, require


class A(OrderedSort):
    """An ordered sort."""


class B(Sort):
    """An unordered sort."""


class Root(System):
    """The system."""

    owed: Map[A, Set[B]]
    heads: Map[B, Option[A]]
    flag: bool

    @action
    def ask(self, a: A) -> None:
        """Quantifiers over sorts, sets, maps, and of what an earlier variable gives."""
        require(all(self.owed[x] for x in A))
        require(any(x < a for x in self.owed if self.owed[x]))
        require(all(b in self.owed[a] for x in A if x < a for b in self.owed[x] if self.flag))

    @action
    def filtered(self) -> None:
        """A condition holds for what comes after it."""
        require(any(b in self.owed[h] for b in B for h in {self.heads[b]} if h is not None))
        self.flag = any(
            x == c for b in B if self.heads[b] is not None for x in {self.heads[b]} for c in A
        )


MODEL = Model("quantifiers", Root, (), ())
