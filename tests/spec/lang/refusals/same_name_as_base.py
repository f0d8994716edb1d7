"""A design's class that has the name of the class it extends."""

from __future__ import annotations

from ackproof.spec.lang import Design, Model, OrderedSort, System, action


class A(OrderedSort):
    """An ordered sort."""


class Root(System):
    """The system."""

    flag: bool

    @action
    def act(self) -> None:
        """A step."""
        self.flag = True


Base = Root


class Root(Base):  # type: ignore[no-redef]
    """A change."""


DESIGN = Design(claim="none", replace=(Root,))

MODEL = Model("same_name_as_base", Base, (), ())
