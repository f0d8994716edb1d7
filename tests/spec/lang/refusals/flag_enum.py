"""An enum whose members combine."""

from __future__ import annotations

import enum

from ackproof.spec.lang import Model, System


class Bits(enum.Flag):
    """Flags."""

    ONE = 1
    TWO = 2


class Root(System):
    """The system."""

    bits: Bits


MODEL = Model("flag_enum", Root, (), ())
