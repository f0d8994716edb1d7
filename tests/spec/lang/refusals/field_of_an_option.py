"""A field of something that may be None."""

from __future__ import annotations

from ackproof.spec.lang import Model, Option, OrderedSort, Record, System, action


class A(OrderedSort):
    """An ordered sort."""


class Info(Record):
    """A record."""

    flag: bool


class Root(System):
    """The system."""

    info: Option[Info]
    flag: bool

    @action
    def act(self) -> None:
        """A step."""
        self.flag = self.info.flag


MODEL = Model("field_of_an_option", Root, (), ())
