"""A field that the record does not have."""

from __future__ import annotations

from ackproof.spec.lang import Model, OrderedSort, Record, System, action


class A(OrderedSort):
    """An ordered sort."""


class Info(Record):
    """A record."""

    flag: bool


class Root(System):
    """The system."""

    info: Info
    flag: bool

    @action
    def act(self) -> None:
        """A step."""
        self.flag = self.info.size


MODEL = Model("record_field_unknown", Root, (), ())
