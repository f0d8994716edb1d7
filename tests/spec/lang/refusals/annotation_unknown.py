"""An annotation that names nothing."""

from __future__ import annotations

from ackproof.spec.lang import Model, System


class Root(System):
    """The system."""

    flag: Nothing


MODEL = Model("annotation_unknown", Root, (), ())
