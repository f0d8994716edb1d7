"""A design's class plays the one that it extends; super() goes on from there."""

from __future__ import annotations

from ackproof.lang import (
    Const,
    Design,
    Model,
    OrderedSort,
    Process,
    Set,
    System,
    action,
    handler,
    helper,
    require,
)


class A(OrderedSort):
    """An ordered sort."""


class Store(Process):
    """A part."""

    items: Set[A]
    limit: Const[bool] = False

    @helper
    def wanted(self, a: A) -> bool:
        """A helper."""
        return a not in self.items

    @handler
    def put(self, a: A) -> None:
        """A step."""
        require(self.wanted(a))
        self.items.add(a)


class Audit(Store):
    """What a design may build on."""

    log: Set[A]

    def put(self, a: A) -> None:
        """Keep a log."""
        super().put(a)
        self.log.add(a)


class Careful(Store):
    """Something else that a design may build on."""

    def wanted(self, a: A) -> bool:
        """A helper."""
        return self.limit and super().wanted(a)


class Root(System):
    """The system."""

    store: Store

    @action
    def put(self, a: A) -> None:
        """A step."""
        self.store.put(a)


class Both(Audit, Careful):
    """A design on both."""

    limit: Const[bool] = True


DESIGN = Design(claim="none", replace=(Both,))

MODEL = Model("designs", Root, (), ())
