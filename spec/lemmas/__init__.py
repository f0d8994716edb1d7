"""The lemmas of the specification of publisher confirms, by what they are about."""

from __future__ import annotations

from ackproof.lang.lemmas import Library
from ackproof.spec.lemmas import (
    accepting,
    answering,
    asking,
    awaiting,
    belonging,
    bodies,
    causes,
    channel,
    committing,
    consumers,
    durability,
    flowing,
    following,
    handing,
    hearing,
    keeping,
    leading,
    mirrors,
    newness,
    ordering,
    presence,
    returning,
    routing,
    settling,
    storing,
    telling,
)

__all__ = ["LIBRARY"]

LIBRARY = Library.of(
    belonging,
    channel,
    routing,
    causes,
    asking,
    newness,
    accepting,
    answering,
    awaiting,
    mirrors,
    hearing,
    keeping,
    presence,
    ordering,
    bodies,
    durability,
    following,
    storing,
    telling,
    leading,
    returning,
    committing,
    consumers,
    handing,
    flowing,
    settling,
)
