"""An enum with two names for one member."""

from __future__ import annotations

import enum

from ackproof.spec.lang import Model, System


class Shade(enum.Enum):
    """An enum."""

    DARK = 1
    BLACK = 1


class Root(System):
    """The system."""

    shade: Shade


MODEL = Model("enum_alias", Root, (), ())
