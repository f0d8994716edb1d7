"""A step that is not written with `def`."""

from __future__ import annotations

from ackproof.spec.lang import Model, System, action


class Root(System):
    """The system."""

    flag: bool

    act = action(lambda self: None)


MODEL = Model("step_without_source", Root, (), ())
